import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

interface Results {
  rows: { title: string; state: string; code: string | null }[];
}

const on = machineWithService();

const sheet = (title: string): Promise<void> =>
  writeFile(
    on.machine.path('show.csv'),
    `key,title,platform,status,privacy\ndraft,${title},long,draft,private\nother,Other,long,draft,private\n`,
  );

test('a refused change of a draft is reported with its reason, retried by every submit, and creates nothing', async () => {
  await sheet('Before');
  expect((await on.machine.run(['run', 'show.csv'])).code).toBe(0);
  const created = on.service.log().length;
  on.service.rules.add('update times=2 -> status 422');
  await sheet('After');

  const arrow = 'title “Before” → “After”';
  const said = 'draft not changed: row 2';
  expect((await on.machine.here(['plan', 'show.csv'])).stderr).toContain(arrow);
  const refused = await on.machine.run(['run', 'show.csv']);
  expect([refused.code, refused.stdout]).toEqual([5, expect.stringContaining('1 of 2 rows succeeded')]);
  expect(refused.stderr).toMatch(new RegExp(`${said}.*patch-refused: not changed: PATCH .*422`));
  expect(refused.stdout).toMatch(
    /drafted\t1\tsaved as a draft, as requested\ndrafted\t1\ta draft that could not be changed/,
  );
  const report = await readFile(join(on.machine.home, 'results/show.2/report.html'), 'utf8');
  expect(report).toContain('1 of 2 rows succeeded; 1 needs attention');

  // The row shows the draft's values at the service, and the next plan still shows what it is to become.
  const [row] = (JSON.parse((await on.machine.here(['results', 'show', '-o', 'json'])).stdout) as Results).rows;
  expect(row).toMatchObject({ title: 'Before', state: 'drafted', code: 'patch-refused' });
  expect((await on.machine.here(['plan', 'show.csv'])).stderr).toContain(arrow);
  const again = await on.machine.run(['run', 'show.csv', '-o', 'json']);
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
    5,
    { unchanged_drafts: 1, problems: [{ key: 'draft', state: 'drafted', code: 'patch-refused' }] },
  ]);
  const good = await on.machine.run(['run', 'show.csv', '-o', 'json']);
  expect([good.code, JSON.parse(good.stdout)]).toMatchObject([0, { unchanged_drafts: 0, problems: [] }]);
  expect(on.service.publications().map(({ title }) => title)).toEqual(['After', 'Other']);
  expect([on.service.log().length, on.service.stats().requests.update]).toEqual([created, 3]);
});
