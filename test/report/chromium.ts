import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Chromium as the machine has it. @throws Error where there is none: what a reader sees can't be tested without it */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `${executablePath} is not there: install Chromium (apt-get install chromium), or set CHROMIUM to it`,
    );
  }
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
