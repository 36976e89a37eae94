import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runOf } from '../../../cli/shared/resolve-run';
import { showSummary } from '../../../cli/summary/show-summary';
import { differsReason } from '../../../cli/summary/reasons';
import { buildSummary, type SummaryInput } from '../../../cli/summary/summary';
import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type RowValues, type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../../ledger/support';
import { capture } from '../capture';

let bench: Bench;
beforeEach(async () => {
  bench = await new Bench().open();
});
afterEach(() => bench.close());

/** A run whose creates are answered at once; rows with a key in `refused` are rejected. */
async function runOfAll(input: SubmissionInput, refused: readonly string[] = []): Promise<RunRef> {
  const { ledger } = bench;
  const run = await bench.begin(input);
  for (const rowId of await bench.rowIds(run)) {
    const claim = await bench.claim(run, rowId);
    if (!claim.claimed) throw new Error(claim.reason);
    if (refused.includes(claim.key)) {
      await ledger.record(rowId, claim.attempt, { kind: 'rejected', code: 'http-422', message: 'no' });
      continue;
    }
    const publicationId = `p-${String(rowId)}-${String(claim.attempt)}`;
    await ledger.record(rowId, claim.attempt, { kind: 'accepted', publicationId, status: 'processing' });
    await ledger.recordEnds([{ rowId, publicationId, state: 'published', status: 'published' }]);
  }
  expect(await ledger.finishRun(run)).toBe(true);
  return run;
}

async function shown(run: RunRef, more: Partial<SummaryInput> = {}) {
  const info = await runOf(bench.ledger, run);
  const input = { ledger: bench.ledger, info, attached: false, webUi: null, sandbox: false };
  const summary = await buildSummary({ ...input, ...more });
  const { output, stdout, stderr } = capture();
  await showSummary(summary, output, false);
  return { summary, verdict: stdout.text.split('\n')[0], said: stderr.text };
}

const corrected = (key: string, title: string) =>
  submission([entry(0, key, { values: { title } })], { vanished: 'keep', path: '/manifests/corrected.csv' });

test('the verdict names everything that the exit code is about', async () => {
  const run = await runOfAll(submission(entries('a', 'b', 'c')), ['b']);
  const { summary, verdict } = await shown(run);
  expect([summary.exit_code, verdict]).toEqual([5, 'spring.1 ended: 2 of 3 rows succeeded; 1 rejected']);
  const also = [differsReason(1), { code: 130 as const, text: 'interrupted' }];
  const more = await shown(run, { also });
  expect([more.summary.exit_code, more.summary.succeeded, more.verdict]).toEqual([
    130,
    1,
    'spring.1 ended: 1 of 3 rows succeeded; interrupted; 1 rejected; 1 row no longer as the manifest says',
  ]);
});

test('the verdict of a run that is paused says so; one paused channel is not the run', async () => {
  const run = await bench.begin(submission(entries('a', 'b')));
  const [channel] = await bench.ledger.channels(run);
  await bench.ledger.pause({ run, by: 'ana', channelId: channel!.id });
  expect((await shown(run)).verdict).toBe('spring.1 running: 0 of 2 rows succeeded; 2 not ended');
  await bench.ledger.pause({ run, by: 'ana' });
  const { verdict, summary } = await shown(run);
  expect([verdict, summary.state, summary.paused]).toEqual([
    'spring.1 paused: 0 of 2 rows succeeded; 2 not ended',
    'running',
    true,
  ]);
});

test('a run that has nothing to send says so, and what keeps its correction', async () => {
  const main = submission(entries('a', 'b'));
  const first = await runOfAll(main, ['b']);
  const second = await runOfAll(corrected('b', 'Better'));
  expect((await shown(second)).said).not.toContain('keeps its corrected');
  const again = await runOfAll(main);
  const { verdict, said, summary } = await shown(again);
  expect(verdict).toBe('spring.3 ended, nothing to send: 2 of 2 rows were already published');
  expect(said).toContain('1 row keeps its corrected values; correct spring.csv too, which still has the old ones:');
  expect(said).toContain('  row 3, key b (Garden · long), corrected in spring.2: title “Better” (there: “Episode b”)');
  expect(summary.kept_corrections).toMatchObject({ total: 1, rows: [{ key: 'b', run: 'spring.2' }] });

  // The run before the correction is shown with the rows of now, and what it ended with.
  const old = await shown(first);
  expect(old.verdict).toBe('spring.1 ended: 2 of 2 rows succeeded (1 taken by later runs)');
  expect(old.said).toContain(
    'The rows are shown as they are now: 1 row was taken up by a later run (spring.2). When spring.1 ended: 1 published · 1 rejected.',
  );

  // Once the manifest says the same, there is nothing to say.
  const better = [entry(0, 'a'), entry(1, 'b', { values: { title: 'Better' } })];
  expect((await shown(await runOfAll(submission(better)))).said).not.toContain('keeps its corrected');
});

test('a correction of a row that was out already corrected nothing, and a signed source is shown without its signature', async () => {
  const signed: Partial<RowValues> = { source: 'https://media.example/a.mp4?sig=SECRET' };
  const main = submission([entry(0, 'a', { values: signed }), entry(1, 'b')]);
  await runOfAll(main, ['a']);
  await runOfAll(corrected('b', 'Too late'));
  const source = 'https://media.example/other.mp4?sig=HIDDEN';
  const sheet = submission([entry(0, 'a', { values: { source } })], { vanished: 'keep', path: '/manifests/fix.csv' });
  await runOfAll(sheet);
  const { said, summary } = await shown(await runOfAll(main));
  expect(summary.kept_corrections.rows.map(({ key }) => key)).toEqual(['a']);
  expect(said).toContain('source “https://media.example/other.mp4?…” (there: “https://media.example/a.mp4?…”)');
  expect(JSON.stringify(summary)).not.toMatch(/SECRET|HIDDEN/u);
});

test('the sheet to correct gets a name that no file has yet', async () => {
  const run = await runOfAll(submission(entries('a')), ['a']);
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'reelay-corrected-'));
  try {
    process.chdir(folder);
    const writes = async () => (await shown(run)).summary;
    expect((await writes()).next[0]).toContain('--out corrected.csv');
    writeFileSync('corrected.csv', 'edited');
    expect((await writes()).run_corrected).toBe('reelay run corrected-2.csv');
    writeFileSync('corrected-2.csv', 'edited');
    const { said, summary } = await shown(run);
    expect(summary.next[0]).toBe('reelay results spring.1 --state rejected -o csv --out corrected-3.csv');
    expect(said).toContain(
      `Next:\n  ${summary.next[0]!}\n      writes those rows as a sheet; correct its cells, then:\n  reelay run corrected-3.csv\n`,
    );
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
});

test('a trial counts what it took, a later run what earlier ones had done', async () => {
  const all = submission(entries('a', 'b', 'c', 'd'));
  const trial = await runOfAll({ ...all, select: { limit: 2 } });
  expect((await shown(trial)).verdict).toBe('spring.1 ended: 2 of 2 rows taken succeeded (2 left for later)');
  const rest = await runOfAll(all);
  expect((await shown(rest)).verdict).toBe('spring.2 ended: 4 of 4 rows succeeded (2 of them in earlier runs)');
});

describe('rows that were left out because of errors', () => {
  const withErrors = (): SubmissionInput => ({
    ...submission(entries('a', 'b')),
    leftOut: [4, 6].map((line) => ({ line, key: `key-${String(line)}`, source: null })),
    given: [['--timezone', 'Europe/Berlin'], ['--skip-invalid']],
  });
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'reelay-left-out-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  test('are shown later too, with the file that lists them and the command that publishes them', async () => {
    const run = await runOfAll(withErrors());
    const csv = join(home, 'results', 'spring.1', 'rejected.csv');
    mkdirSync(dirname(csv), { recursive: true });
    writeFileSync(csv, '');
    const { summary, verdict, said } = await shown(run, { home });
    expect(verdict).toBe('spring.1 ended: 2 of 2 rows succeeded; 2 rows with errors left out');
    expect([summary.exit_code, summary.left_out]).toEqual([
      5,
      { total: 2, files: [{ run: 'spring.1', manifest: '/manifests/spring.csv', rows: 2, lines: [4, 6], csv }] },
    ]);
    expect(said).toContain(`2 rows of spring.csv (lines 4, 6) were left out because of errors, and not sent: ${csv}.`);
    expect(summary.next).toEqual([`reelay run ${csv}`]);
  });

  test('are listed by check if that file is gone', async () => {
    const path = join(home, 'spring.csv');
    writeFileSync(path, '');
    const input = withErrors();
    const run = await runOfAll({ ...input, snapshot: { ...input.snapshot, path } });
    const { summary, said } = await shown(run, { home });
    expect(said).toContain('2 rows of spring.csv (lines 4, 6) were left out because of errors, and not sent.');
    expect(summary.next).toEqual([`reelay check ${path} --timezone Europe/Berlin`]);
  });

  test('are named at the end of a run that corrected other rows, until they are submitted too', async () => {
    const path = join(home, 'spring.csv');
    writeFileSync(path, '');
    const input = withErrors();
    await runOfAll({ ...input, snapshot: { ...input.snapshot, path } }, ['a']);
    const sheet = corrected('a', 'Corrected');
    const fixing = await runOfAll({ ...sheet, snapshot: { ...sheet.snapshot, text: 'key,reelay_key\n' } });
    const { summary, verdict, said } = await shown(fixing, { home, view: fixing });
    // This run did all that it was asked to do.
    expect([verdict, summary.exit_code]).toEqual(['spring.2 ended: 1 of 1 rows succeeded', 0]);
    expect(said).toContain(
      'Still missing from campaign spring: 2 rows of spring.csv (lines 4, 6) were left out because of errors, and not sent.',
    );
    expect(summary.left_out).toEqual({ total: 0, files: [] });
    expect(summary.left_out_earlier).toMatchObject({ total: 2, files: [{ run: 'spring.1', lines: [4, 6] }] });
    expect(summary.next).toContain(`reelay check ${path} --timezone Europe/Berlin`);

    const whole = submission(entries('a', 'b', 'c'), { path });
    const last = await runOfAll({ ...whole, acceptDifferences: true });
    expect((await shown(last, { home })).said).not.toContain('left out');
  });

  test('are no longer shown once the manifest has none', async () => {
    await runOfAll(withErrors());
    const run = await runOfAll(submission(entries('a', 'b', 'c')));
    const { summary, said } = await shown(run, { home });
    expect([summary.exit_code, summary.left_out]).toEqual([0, { total: 0, files: [] }]);
    expect(said).not.toContain('left out');
  });
});

test('an unchanged row of a corrected sheet is shown as not tried again, with the command that tries it', async () => {
  await runOfAll(submission(entries('a', 'b', 'c')), ['b', 'c']);
  const sheet = [entry(0, 'b', { values: { title: 'Corrected' } }), entry(1, 'c')];
  const input = submission(sheet, { vanished: 'keep', path: '/manifests/corrected.csv' });
  expect((await bench.ledger.plan(input)).problems).toEqual([
    {
      ...{ code: 'not-retried', severity: 'warning', line: null, key: 'c' },
      message: '1 row that failed or was rejected is unchanged, and is not tried again: c',
      hint: 'correct it, or use `reelay retry spring` to try again with the same values',
    },
  ]);
  const run = await runOfAll(input);
  const { summary, said } = await shown(run);
  expect(summary.problems).toMatchObject([{ key: 'c', state: 'rejected', earlier_run: 'spring.1' }]);
  expect(summary.rows_of_runs).toMatchObject({ own: { rows: 1, succeeded: 1 }, not_retried: 1 });
  expect(said).toContain('rejected in spring.1: row 3 · Episode c');
  expect(said).toContain(
    '1 row that went wrong in an earlier run is unchanged, so spring.2 did not try it again: `reelay retry spring.2 --watch` does.',
  );
  expect(await bench.ledger.countRetry({ run })).toEqual({ rejected: 1 });
});
