import { copyFile, rename, rm } from 'node:fs/promises';
import { until } from '../support/cli-process';
import { holdCreates, trust429 } from '../support/hold-creates';
import { machineWithService } from '../support/machine-with-service';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

const ROWS = 30;

const on = machineWithService(
  { open: { echoTitle: true } },
  // What the end of the worker leaves without an answer is settled soon.
  { REELAY_TIMINGS: JSON.stringify({ pollMs: 250, pollMaxMs: 1_000, settleMs: 5_000, lookGapMs: 300 }) },
);

const created = (): number => on.service.log().length;

it.each([
  ['moved into its place', rename],
  ['written over it', copyFile],
])('a backup that is %s while a worker runs ends the worker, with the way out', async (_, restore) => {
  const [manifest, backup, copy] = ['show.csv', 'backup.db', 'copy.db'].map((name) => on.machine.path(name)) as [
    string,
    string,
    string,
  ];
  const ledger = `${on.machine.home}/ledger.db`;
  await trust429(on.machine);
  const titles = await writeCampaign(manifest, ROWS);
  const release = holdCreates(on.service, titles.slice(4));
  const running = on.machine.start(['run', manifest, '--no-probe']);
  const untilCreated = (rows: number): Promise<void> =>
    until(() => {
      if (running.child.exitCode !== null) throw new Error(`ended before ${rows} rows were sent:\n${running.stderr}`);
      return created() >= rows;
    });
  await untilCreated(4);
  expect((await on.machine.run(['ledger', 'backup', backup])).code).toBe(0);
  await copyFile(backup, copy);
  const releaseRest = holdCreates(on.service, titles.slice(8));
  release();
  await untilCreated(8);
  await restore(copy, ledger);
  // What is written into the file itself is noticed only when SQLite meets a page that doesn't fit: the run goes on.
  if (restore === copyFile) releaseRest();

  const ended = await running.ended;
  expect(ended.code).toBe(7);
  expect(ended.stderr).toMatch(/^error: the ledger .*(?:replaced while it was in use|is damaged)/mu);
  expect(ended.stderr).toContain('reelay ledger reconcile');
  releaseRest();
  const sent = created();

  // Repeating the command before anything else sends nothing.
  const refused = await on.machine.run(['run', manifest, '--no-probe']);
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('reelay ledger reconcile')]);
  expect(created()).toBe(sent);

  // As the message says.
  for (const name of ['-wal', '-shm']) await rm(`${ledger}${name}`, { force: true });
  await copyFile(backup, ledger);
  expect((await on.machine.run(['ledger', 'reconcile', '--yes'])).code).toBe(0);
  const last = await on.machine.run(['run', manifest, '--no-probe', '-o', 'json']);
  const { published = 0, unconfirmed = 0 } = (JSON.parse(last.stdout) as { counts: Record<string, number> }).counts;
  expect([published + unconfirmed, last.code]).toEqual([ROWS, unconfirmed === 0 ? 0 : 6]);
  const sentTitles = on.service.log().map(({ title }) => title);
  expect(sentTitles.filter((title, at) => sentTitles.indexOf(title) !== at)).toEqual([]);
});
