import { readFile, writeFile } from 'node:fs/promises';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const on = machineWithService({ faults: ['create title="Two" -> outcome failed'] });

const SHEET = `key,title,video_url,platform,profile
one,One,https://videos.example/one.mp4,short,Garden
two,Two,https://videos.example/two.mp4,short,Garden
three,Three,https://videos.example/three.mp4,short,Garden
`;

const json = (text: string): unknown => JSON.parse(text);

test('a campaign is shown over all its runs by its name, and its main manifest can be given again', async () => {
  await writeFile(on.machine.path('show.csv'), SHEET);
  expect((await on.machine.run(['run', 'show.csv', '-o', 'json'])).code).toBe(5);
  const toCorrect = on.machine.path('corrected.csv');
  await on.machine.here(['results', 'show', '--state', 'failed', '-o', 'csv', '--out', toCorrect]);
  await writeFile(toCorrect, (await readFile(toCorrect, 'utf8')).replace(',Two,', ',Two again,'));
  const corrected = await on.machine.run(['run', toCorrect, '-o', 'json']);
  expect([corrected.code, json(corrected.stdout)]).toMatchObject([
    0,
    { run: { id: 'show.2' }, total: 1, scope: 'run' },
  ]);

  const results = json((await on.machine.here(['results', 'show', '-o', 'json'])).stdout) as { rows: object[] };
  expect(results.rows).toMatchObject([
    { line: 2, key: 'one', run: 'show.1' },
    { line: 3, key: 'two', run: 'show.2', title: 'Two again', code: null },
    { line: 4, key: 'three', run: 'show.1' },
  ]);
  const status = await on.machine.here(['status', 'show']);
  expect(status.stdout).toContain('show (newest run show.2) ended: 3 of 3 rows');
  expect(json((await on.machine.here(['status', '-o', 'json'])).stdout)).toMatchObject({ total: 3, scope: 'campaign' });
  const first = json((await on.machine.here(['status', 'show.1', '-o', 'json'])).stdout);
  expect(first).toMatchObject({ scope: 'run', total: 3, counts: { published: 3 } });
  expect(json((await on.machine.here(['status', 'show.2', '-o', 'json'])).stdout)).toMatchObject({
    scope: 'run',
    total: 1,
  });

  const { runs } = json((await on.machine.here(['list', '-o', 'json'])).stdout) as { runs: object[] };
  expect(runs).toMatchObject([
    { id: 'show.2', state: 'ended', counts: { published: 1 } },
    { id: 'show.1', state: 'ended', counts: { published: 3 }, ended_counts: { published: 2, failed: 1 } },
  ]);
  const again = await on.machine.run(['run', 'show.csv', '-o', 'json']);
  expect([again.code, json(again.stdout)]).toMatchObject([0, { total: 3, counts: { published: 3 } }]);
  expect(
    on.service
      .log()
      .map(({ title }) => title)
      .sort(),
  ).toEqual(['One', 'Three', 'Two', 'Two again']);
});
