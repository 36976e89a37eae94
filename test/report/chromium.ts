import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/**
 * `describe` if the machine has Chromium. Without it, what a reader sees can't be tested: these tests then count as
 * skipped, with the reason. `.ci/run` installs it.
 */
export const describeInChromium: typeof describe.skip = existsSync(EXECUTABLE) ? describe : skipLoudly();

function skipLoudly(): typeof describe.skip {
  process.stderr.write(`${EXECUTABLE} is not there: apt-get install chromium, or set CHROMIUM to it\n`);
  return describe.skip;
}

export function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}
