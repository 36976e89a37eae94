import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

/** k1 under another key. */
const RENAMED = [entry(0, 'ep-1', { values: { source: 'https://media.example/k1.mp4', title: 'Episode k1' } })];

describe('a submit before an earlier one is imported', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function codes(input: SubmissionInput): Promise<string[]> {
    return (await bench.problems(input)).map(({ code }) => code).sort();
  }

  /** The keys that the run would send. */
  async function sent(run: RunRef): Promise<string[]> {
    const keys: string[] = [];
    for (const id of await bench.rowIds(run)) {
      const claim = await bench.claim(run, id);
      if (claim.claimed) keys.push(claim.key);
    }
    return keys.sort();
  }

  it('is refused for renamed and missing rows, as it is after the import', async () => {
    await bench.ledger.submit(submission(entries('k1', 'k2')));
    expect(await codes(submission(RENAMED))).toEqual(['rekey-suspected', 'rows-vanished']);
    expect(await sent(await bench.import())).toEqual(['k1', 'k2']);
  });

  it('with --prune, the old keys are not sent', async () => {
    await bench.ledger.submit(submission(entries('k1', 'k2')));
    expect(await codes(submission(RENAMED, { vanished: 'prune' }))).toEqual([]);
    expect(await sent(await bench.import())).toEqual(['ep-1']);
  });

  it('with --keep, the missing rows are sent too', async () => {
    await bench.ledger.submit(submission(entries('k1', 'k2')));
    expect(await codes(submission(entries('k1'), { vanished: 'keep' }))).toEqual([]);
    expect(await sent(await bench.import())).toEqual(['k1', 'k2']);
  });

  it('may add rows and change values, as often as needed', async () => {
    await bench.ledger.submit(submission(entries('k1', 'k2')));
    const corrected = [entry(0, 'k1', { values: { title: 'Corrected' } }), entry(1, 'k2'), entry(2, 'k3')];
    expect(await codes(submission(corrected))).toEqual([]);
    expect(await codes(submission([...corrected, entry(3, 'k4')]))).toEqual([]);
    const run = await bench.import();
    expect(await bench.claim(run, await bench.firstId(run))).toMatchObject({ values: { title: 'Corrected' } });
    expect(await sent(run)).toEqual(['k2', 'k3', 'k4']);
  });

  it('never sends a video under two keys when both are submitted at once', async () => {
    const found = await Promise.all([codes(submission(entries('k1'))), codes(submission(RENAMED))]);
    expect(found.toSorted((a, b) => a.length - b.length)).toEqual([[], ['rekey-suspected', 'rows-vanished']]);
    expect(await sent(await bench.import())).toHaveLength(1);
  });

  it('a plan writes nothing, and warns that it does not show those rows', async () => {
    const { run } = await bench.ledger.submit(submission(entries('k1', 'k2')));
    const plan = await bench.ledger.plan(submission(RENAMED));
    expect(plan.problems.map(({ code, severity }) => [code, severity])).toEqual([['not-imported', 'warning']]);
    expect(await bench.ledger.findRun(run)).toMatchObject({ imported: false });
    await bench.import();
    expect((await bench.ledger.plan(submission(entries('k1', 'k2')))).problems).toEqual([]);
  });
});
