'use strict';

// After tsc: bundle the workflows once, so that no start pays for webpack, and make the command executable.
const { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { bundleWorkflowCode } = require('@temporalio/worker');

const root = join(__dirname, '..');

async function main() {
  const workflowsPath = join(root, 'dist', 'workflows', 'index.js');
  const problems = [];
  const logger = {
    log() {},
    trace() {},
    debug() {},
    info() {},
    warn: (message) => problems.push(message),
    error: (message) => problems.push(message),
  };
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  if (problems.length > 0) throw new Error(`workflow bundle: ${problems.join('; ')}`);
  writeFileSync(join(root, 'dist', 'workflow-bundle.js'), code);
  chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
  // Plain JavaScript, which tsc leaves where it is.
  copyFileSync(
    join(root, 'embedded', 'server', 'supervisor.js'),
    join(root, 'dist', 'embedded', 'server', 'supervisor.js'),
  );
  const schema = join(root, 'manifests', 'manifest.schema.json');
  if (existsSync(schema)) {
    mkdirSync(join(root, 'dist', 'manifests'), { recursive: true });
    copyFileSync(schema, join(root, 'dist', 'manifests', 'manifest.schema.json'));
  }
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
