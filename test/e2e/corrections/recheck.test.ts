import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

interface Rechecked {
  read: number;
  found: number;
  cleared: number;
  unread: number;
  exit_code: number;
  rows: {
    key: string;
    state: string;
    code: string | null;
    message: string | null;
    changed: boolean;
    seen_at: string;
  }[];
}

const on = machineWithService({
  behaviours: ['echo'],
  open: { failureField: 'reason' },
  faults: ['create title=Wrong -> store-as privacy=public', 'create title=Broken -> outcome failed'],
});

const idOf = (title: string): string => on.service.publications().find((one) => one.title === title)?.id ?? '';
const recheck = async (...args: string[]): Promise<{ code: number | null; answer: Rechecked }> => {
  const { code, stdout } = await on.machine.here(['recheck', 'show', '-o', 'json', ...args]);
  return { code, answer: JSON.parse(stdout) as Rechecked };
};
const codes = ({ rows }: Rechecked) => rows.map(({ key, code, changed }) => [key, code, changed]);

test('rows live otherwise than requested are reported at once, and what changed later by recheck', async () => {
  const titles = ['Fine', 'Wrong', 'Hidden', 'Removed', 'Late', 'Renamed', 'Broken'];
  const rows = titles.map(
    (title) => `${title.toLowerCase()},${title},long,${title === 'Wrong' ? 'private' : 'public'}`,
  );
  await writeFile(
    on.machine.path('show.csv'),
    [
      'key,title,platform,privacy,video_url',
      ...rows.map((row) => `${row},https://videos.example/${row.slice(0, 4)}.mp4`),
    ].join('\n'),
  );

  const run = await on.machine.run(['run', 'show.csv']);
  expect(run.code).toBe(5);
  expect(run.stdout).toContain('published\t1\tlive, but not as requested');
  expect(run.stderr).toMatch(
    /published, not as requested: .*key wrong .*published-differs: privacy: “private” was requested, “public” is shown/,
  );
  const report = await readFile(join(on.machine.home, 'results/show.1/report.html'), 'utf8');
  expect(report).toContain('published-differs');
  expect(report).toContain('5 of 7 rows succeeded; 2 need attention');
  const csv = await on.machine.here(['results', 'show', '-o', 'csv']);
  expect(csv.stdout).toMatch(/^wrong,.*published-differs/m);
  const status = await on.machine.here(['status', 'show', '-o', 'json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ published_differs: 1, exit_code: 5 });

  const before = await recheck();
  expect(before.code).toBe(5);
  expect(before.answer).toMatchObject({ read: 7, found: 1, cleared: 0, unread: 0, exit_code: 5 });
  expect(codes(before.answer)).toEqual([['wrong', 'published-differs', false]]);

  await on.service.edit(idOf('Wrong'), { privacy: 'private' });
  await on.service.edit(idOf('Hidden'), { privacy: 'private' });
  await on.service.settle(idOf('Late'), { outcome: 'failed', reason: 'taken down' });
  await on.service.settle(idOf('Broken'), { outcome: 'published' });
  await on.service.edit(idOf('Renamed'), { title: 'Something else' });
  await fetch(`${on.service.baseUrl}/v1/publications/${idOf('Removed')}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer key-of-theirs' },
  });
  const after = await recheck();
  expect(after.code).toBe(5);
  expect(after.answer).toMatchObject({ read: 7, found: 5, cleared: 1, unread: 0 });
  const expected = [
    ['hidden', 'made-private', true],
    ['removed', 'gone', true],
    ['late', 'failed-later', true],
    ['renamed', 'published-differs', true],
    ['broken', 'published-later', true],
  ];
  expect(codes(after.answer)).toEqual([['wrong', null, true], ...expected]);
  expect(after.answer.rows.find(({ key }) => key === 'late')).toMatchObject({
    state: 'published',
    message: 'the service now shows it as failed: taken down',
  });
  // What was seen stays with the row, with its date, and is nothing new the next time.
  const results = (await on.machine.here(['results', 'show', '-o', 'csv'])).stdout;
  expect(results).toMatch(
    /^hidden,.*,published,.*made-private,.*it is private by now, and was not before \(seen 20\d\d-/m,
  );
  expect(results).toMatch(/^broken,.*,failed,.*service-failed/m);
  expect(results).not.toMatch(/^wrong,.*published-differs/m);
  const again = await recheck();
  expect(codes(again.answer)).toEqual(expected.map(([key, code]) => [key, code, code === 'published-later']));

  const ledger = await openLedger({ path: join(on.machine.home, 'ledger.db') });
  try {
    const owner = (await ledger.ownersOf('default', [idOf('Hidden')])).get(idOf('Hidden'));
    const kinds = (await ledger.decisionsOf(owner?.rowId ?? 0)).map(({ kind }) => kind);
    expect(kinds).toEqual(['seen-as-requested', 'seen-made-private', 'seen-made-private']);
  } finally {
    await ledger.close();
  }

  const text = await on.machine.here(['recheck', '--since', '1d']);
  expect([text.code, text.stdout.split('\n')[0]]).toEqual([
    5,
    'show.1\thidden\tdefault channel · long\tmade-private\tit is private by now, and was not before',
  ]);
  expect(text.stderr).toContain('Read 7 publications again: 5 rows not as requested.');
  on.service.rules.add('get -> status 500');
  const unread = await on.machine.here(['recheck', 'show', '-o', 'jsonl']);
  const lines = unread.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toHaveLength(8);
  expect([unread.code, lines.at(-1)]).toMatchObject([7, { read: 7, found: 0, unread: 7, exit_code: 7 }]);
  on.service.rules.clear();
  const refused = await on.machine.run(['recheck', 'show'], { REELAY_API_KEY: 'another-key' });
  expect(refused.code).toBe(4);
});

test('a campaign that is as requested ends with 0, and nothing is sent', async () => {
  await writeFile(
    on.machine.path('show.csv'),
    'key,title,platform,video_url\na,A,short,https://videos.example/a.mp4\n',
  );
  expect((await on.machine.run(['run', 'show.csv'])).code).toBe(0);
  const created = on.service.log().length;
  const text = await on.machine.here(['recheck']);
  expect([text.code, text.stdout]).toEqual([0, '']);
  expect(text.stderr).toContain('Read 1 publication again: 0 rows not as requested.');
  expect(on.service.log().length).toBe(created);
  expect((await on.machine.here(['recheck', 'show', '--since', '1d'])).code).toBe(2);
});
