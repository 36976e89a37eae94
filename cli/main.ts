#!/usr/bin/env node
import { runCli } from './run-cli';

void runCli(process.argv.slice(2)).then((code) => {
  // Native handles (the Temporal core, the ledger) may still be open; all output has been flushed.
  process.exit(code);
});
