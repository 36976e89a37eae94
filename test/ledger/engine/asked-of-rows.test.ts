import Database from 'libsql';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, submission } from '../support';

/** What the metrics count, and what each round of a watch asks, must not cost more the more rows there are. */
describe('questions about a run', () => {
  let bench: Bench;
  let run: RunRef;
  beforeEach(async () => {
    bench = await new Bench().open();
    run = await bench.begin(submission(entries('a', 'b', 'c')));
    const id = await bench.firstId(run);
    const attempt = await bench.claimed(run, id);
    await bench.ledger.record(id, attempt, { kind: 'accepted', publicationId: 'pub-1', status: 'processing' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await bench.close();
  });

  /** How the database finds the answers of all that is asked meanwhile, a line for each step. */
  async function plansOf(ask: () => Promise<unknown>): Promise<string[]> {
    const asked = new Set<string>();
    const prepare = Database.prototype.prepare;
    jest.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, text: string) {
      asked.add(text);
      return prepare.call(this, text);
    });
    await ask();
    jest.restoreAllMocks();
    const database = new Database(bench.path);
    try {
      const questions = [...asked].filter((text) => /^\s*(?:select|update|delete|with)\b/iu.test(text));
      expect(questions.length).toBeGreaterThan(0);
      return questions.flatMap((text) => {
        const steps = database.prepare(`explain query plan ${text}`).all(new Array(text.split('?').length - 1).fill(1));
        return (steps as { detail: string }[]).map(({ detail }) => `${detail} — ${text}`);
      });
    } finally {
      database.close();
    }
  }

  it('count the rows by state without reading the rows of the manifest', async () => {
    const plans = await plansOf(() => bench.ledger.counts(run));
    const ofRows = plans.filter((plan) => /^(?:SCAN|SEARCH) (?:rows|entries)\b/u.test(plan));
    // Only rows that other manifests have are looked for, and an index knows them.
    const elsewhere = /^SEARCH rows USING INDEX rows_run_snapshot \(run_id=\? AND snapshot_id[<>]\?\)|^SEARCH entries/u;
    expect(ofRows.filter((plan) => !elsewhere.test(plan))).toEqual([]);
  });

  it('find channels with rows left, and what a round of a watch follows, by the state of rows', async () => {
    const { ledger } = bench;
    const plans = await plansOf(async () => {
      await ledger.channels(run);
      await ledger.inFlight(run);
      await ledger.holds(run);
      await ledger.cancelGated(run);
      await ledger.pendingDrafts(run);
      await ledger.hasOpenRows(run);
      await ledger.openRows(run);
      await ledger.gates(run);
    });
    const byState =
      /^SEARCH rows USING (?:COVERING )?INDEX rows_(?:index_\d+|coded) \((?:run_id|snapshot_id)=\? AND state=\?|USING INTEGER PRIMARY KEY/u;
    const ofRows = plans.filter((plan) => /^(?:SCAN|SEARCH) (?:rows|entries|attempts|publications)\b/u.test(plan));
    expect(
      ofRows.filter((plan) => plan.startsWith('SCAN') && !/attempts_(?:unended|open|unsettled)/u.test(plan)),
    ).toEqual([]);
    expect(ofRows.filter((plan) => plan.startsWith('SEARCH rows') && !byState.test(plan))).toEqual([]);
  });

  it('find the few rows with a code, and those that went wrong, without a look at the others of their manifest', async () => {
    const { ledger } = bench;
    const plans = await plansOf(async () => {
      await ledger.differing(run);
      await ledger.unchangedDrafts(run);
      await ledger.pendingDrafts(run);
      await ledger.givenUp(run);
      await ledger.problemRows(run);
    });
    const ofRows = plans.filter((plan) => /^(?:SCAN|SEARCH) rows\b/u.test(plan));
    const coded = /USING (?:COVERING )?INDEX rows_coded \(snapshot_id=\? AND state=\? AND code=\?\)/u;
    // Of states that only rows have which went wrong; and rows that the manifest doesn't have.
    const few =
      /USING INDEX rows_index_6 \(snapshot_id=\? AND state=\?\) — (?!.*"code" (?:=|in))|rows_run_snapshot|PRIMARY KEY/u;
    expect(ofRows.filter((plan) => !coded.test(plan) && !few.test(plan))).toEqual([]);
  });

  it('are answered alike when rows move, change their manifest or are taken out', async () => {
    await bench.begin(submission(entries('b', 'c', 'd'), { vanished: 'prune' }));
    const counted = await bench.ledger.counts(run);
    const database = new Database(bench.path);
    const rows = database
      .prepare('select snapshot_id, state, count(*) as rows from rows group by 1, 2 order by 1, 2')
      .all();
    const kept = database
      .prepare('select snapshot_id, state, rows from row_counts where rows <> 0 order by 1, 2')
      .all();
    database.close();
    expect(kept).toEqual(rows);
    expect(Object.values(counted).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });
});
