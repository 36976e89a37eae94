import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../sandbox/server';

/**
 * The peak memory of whole commands for a CSV of 100,000 rows (19 MB), all of them valid, and every second one with an
 * error in its time, from the built program: `npm run bench:plan`. Exits with 1 if a limit is exceeded.
 */
const ROWS = 100_000;
const MOST_MEGABYTES = 300;
const KEY = 'key-of-the-bench';

function csv(goodTimes: (at: number) => boolean): string {
  const lines = ['key,title,source,description,platform,privacy,publish_at,note'];
  // Within the year for which there is no warning.
  const day = new Date(Date.now() + 90 * 24 * 3_600_000).toISOString().slice(0, 10);
  for (let at = 0; at < ROWS; at++) {
    const time = goodTimes(at) ? `${day}T18:${String(at % 60).padStart(2, '0')}:00Z` : `sometime ${at}`;
    const description = `"What happens in episode ${at}, told in a sentence, as people do: lorem ipsum, lorem ipsum"`;
    lines.push(`video-${at},Episode ${at},https://media.test/v/${at}.mp4,${description},long,public,${time},a note`);
  }
  return `${lines.join('\n')}\n`;
}

/** Prints its process's peak on exit. */
const REPORT = `data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS/1024))`;

async function peakMegabytes(args: readonly string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, ['--import', REPORT, 'dist/cli/main.js', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (told += piece));
  await new Promise((resolve) => child.once('close', resolve));
  const peak = /^peak ([\d.]+)$/m.exec(told)?.[1];
  if (peak === undefined) throw new Error(told.slice(-2_000));
  return Number(peak);
}

async function main(): Promise<void> {
  const service = await startSandbox({ apiKey: KEY });
  const folder = mkdtempSync(join(tmpdir(), 'reelay-bench-'));
  try {
    const env = { REELAY_HOME: join(folder, 'home'), REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: KEY };
    const good = join(folder, 'good.csv');
    const half = join(folder, 'half.csv');
    writeFileSync(
      good,
      csv(() => true),
    );
    writeFileSync(
      half,
      csv((at) => at % 2 === 0),
    );
    const commands = [
      ['check', half],
      ['plan', good, '--no-probe'],
      ['plan', half, '--no-probe', '--skip-invalid'],
    ];
    for (const command of commands) {
      const megabytes = await peakMegabytes(command, env);
      const what = command.join(' ').replaceAll(`${folder}/`, '');
      console.log(`reelay ${what}: ${megabytes.toFixed(0)} MB (at most ${MOST_MEGABYTES})`);
      if (megabytes > MOST_MEGABYTES) process.exitCode = 1;
    }
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
