import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, UserMachine } from '../support/cli-process';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;

beforeEach(async () => {
  // The first row fails; the channel of the third, which has a time, is parked until a person resumes it.
  const faults = ['create title="One" -> outcome failed', 'create title="Three" times=1 -> status 403'];
  service = await startSandbox({ apiKey: 'key-of-theirs', faults });
  machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
});

afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await service.close();
  await machine.remove();
  expect(left).toEqual([]);
});

test('a corrected sheet with fewer rows ends with all rows of its run, and a retry takes the rows that it left out', async () => {
  const soon = new Date(Date.now() + 1_000).toISOString();
  const url = (name: string): string => `https://videos.example/${name}.mp4`;
  const rows = [
    ['key', 'title', 'video_url', 'platform', 'profile', 'publish_at'],
    ['one', 'One', url('one'), 'short', 'Garden', ''],
    ['two', 'Two', url('two'), 'short', 'Garden', ''],
    ['three', 'Three', url('three'), 'short', 'Kitchen', soon],
  ];
  await writeFile(machine.path('show.csv'), rows.map((row) => `${row.join(',')}\n`).join(''));
  const first = await machine.run(['run', 'show.csv', '-o', 'json']);
  expect([first.code, JSON.parse(first.stdout).counts]).toEqual([5, { published: 1, failed: 1, planned: 1 }]);

  const toCorrect = machine.path('corrected.csv');
  await machine.here(['results', 'show', '--state', 'failed', '-o', 'csv', '--out', toCorrect]);
  await writeFile(toCorrect, (await readFile(toCorrect, 'utf8')).replace(',One,', ',One anew,'));
  service.rules.add('create title="Three" times=1 -> outcome failed');
  expect((await machine.here(['resume', 'show'])).code).toBe(0);
  const corrected = await machine.run(['run', toCorrect, '-o', 'json']);
  expect([corrected.code, JSON.parse(corrected.stdout)]).toMatchObject([
    5,
    {
      run: { id: 'show.1' },
      state: 'ended',
      total: 3,
      counts: { published: 2, failed: 1 },
      problems: [{ key: 'three' }],
    },
  ]);

  const shown = await machine.here(['results', 'show']);
  expect(shown.stdout).toMatch(
    /^2\tpublished\t.*\tone\t.*\n3\tpublished\t.*\ttwo\t.*\n4\tfailed\t.*\tthree\t.*service-failed/mu,
  );
  expect((await machine.here(['status', 'show'])).stdout).toContain('2 of 3 rows succeeded');
  expect(await readFile(join(machine.home, 'results/show.1/report.html'), 'utf8')).toContain(
    '2 of 3 rows succeeded; 1 needs attention',
  );

  const retried = await machine.run(['retry', 'show', '--yes', '--watch', '-o', 'json']);
  expect([retried.code, JSON.parse(retried.stdout)]).toMatchObject([
    0,
    { run: { id: 'show.2' }, counts: { published: 3 } },
  ]);
  const all = JSON.parse((await machine.here(['results', '--all', '-o', 'json'])).stdout) as {
    rows: { key: string; state: string; code: string | null }[];
  };
  expect(all.rows.map(({ key, state }) => `${key} ${state}`).sort()).toEqual([
    ...['one published', 'three published', 'two published'],
  ]);
  expect(all.rows.find(({ key }) => key === 'two')).toMatchObject({ code: null });
  expect(service.log().map(({ title }) => title)).toEqual(
    expect.arrayContaining(['One', 'Two', 'One anew', 'Three', 'Three']),
  );
  expect(service.log()).toHaveLength(5);
});
