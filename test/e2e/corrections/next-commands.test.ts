import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const on = machineWithService({ faults: ['create title="Two" -> outcome failed'] });

/** A command as a person pastes it into a shell; questions are answered with yes. */
async function paste(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  expect(words[0]).toBe('reelay');
  return on.machine.run([...words.slice(1), ...(words[1] === 'retry' ? ['--yes'] : [])]);
}

interface Shown {
  next: string[];
  run_corrected: string | null;
}

test('every command that a run, its status and its results suggest is the same, and works as it is printed', async () => {
  const local = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  const sheet = ['key,title,video_url,profile,When', `one,One,https://v.example/1.mp4,Garden,${local}`];
  sheet.push(`two,Two,https://v.example/2.mp4,Garden,${local}`);
  await writeFile(on.machine.path('the show.csv'), `${sheet.join('\n')}\n`);
  const flags = [
    '--campaign',
    'show',
    '--timezone',
    'UTC',
    '--past',
    'now',
    '--column',
    'When=publish_at',
    '--default',
    'platform=short',
    '--max-per',
    '9 per 1h',
  ];
  const run = await on.machine.run(['run', 'the show.csv', ...flags, '-o', 'json']);
  expect(run.code).toBe(5);
  const shown = JSON.parse(run.stdout) as Shown;
  const status = JSON.parse((await on.machine.here(['status', 'show', '-o', 'json'])).stdout) as Shown;
  const results = (await on.machine.here(['results', 'show', '-o', 'jsonl'])).stdout.trim().split('\n').at(-1) ?? '';
  for (const other of [status, JSON.parse(results) as Shown])
    expect([other.next, other.run_corrected]).toEqual([shown.next, shown.run_corrected]);
  expect(shown.run_corrected).toBe('reelay run corrected.csv');
  expect(shown.next.length).toBeGreaterThan(1);
  for (const command of shown.next)
    expect([command, [0, 5]]).toEqual([command, expect.arrayContaining([(await paste(command)).code])]);
  const mend = on.machine.path('corrected.csv');
  await writeFile(mend, (await readFile(mend, 'utf8')).replace(',Two,', ',Two again,'));
  const corrected = await paste(shown.run_corrected ?? '');
  expect([corrected.code, corrected.stdout]).toEqual([0, expect.stringContaining('succeeded')]);
});

test('an interrupted run and its status suggest the same commands, without flags that change nothing of what is sent', async () => {
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  const sheet = [
    'key,title,video_url,profile,platform,publish_at',
    `one,One,https://v.example/1.mp4,Garden,short,${soon}`,
  ];
  await writeFile(on.machine.path('later.csv'), `${sheet.join('\n')}\n`);
  const flags = ['--no-probe', '--yes', '--uncancel', '--timeout', '3s', '--out', 'here', '-o', 'json'];
  const run = await on.machine.run(['run', 'later.csv', '--late', 'publish', ...flags]);
  expect(run.code).toBe(9);
  const shown = JSON.parse(run.stdout) as Shown;
  expect(shown.next).toEqual(['reelay run later.csv --late publish', 'reelay up']);
  const status = JSON.parse((await on.machine.here(['status', 'later', '-o', 'json'])).stdout) as Shown;
  expect(status.next).toEqual(shown.next);
});
