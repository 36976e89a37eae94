import { SubmissionRefusedError } from '../../../ledger/model/errors';
import { type Entry, type RunRef, type SubmissionInput } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

/** The videos of `keys` under new keys. */
function renamed(...keys: string[]): Entry[] {
  return keys.map((key, position) =>
    entry(position, `new-${key}`, { values: { source: `https://media.example/${key}.mp4`, title: `Episode ${key}` } }),
  );
}

describe('keys that are renamed and renamed back', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function codes(input: SubmissionInput): Promise<string[]> {
    try {
      await bench.ledger.submit(input);
    } catch (error) {
      if (error instanceof SubmissionRefusedError) return error.problems.map(({ code }) => code);
      throw error;
    }
    return [];
  }

  async function publish(run: RunRef): Promise<void> {
    for (const id of await bench.rowIds(run)) {
      await bench.claimed(run, id);
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: `pub-${id}`, status: 'processing' });
    }
  }

  it('are refused after the first rename was published with --prune', async () => {
    await bench.begin(submission(entries('a', 'b', 'c')));
    await publish(await bench.begin(submission(renamed('a', 'b', 'c'), { vanished: 'prune' })));
    const back = submission(entries('a', 'b', 'c'), { forceOld: true });
    expect(await codes(back)).toEqual(['rekey-suspected', 'rekey-suspected', 'rekey-suspected']);
    const plan = await bench.ledger.plan(back);
    expect(plan.actions).toMatchObject({ recreate: 0, refuse: 3 });
    expect((await bench.ledger.plan({ ...back, rekey: true })).actions).toMatchObject({ recreate: 3 });
  });

  it('are refused after the rows were cancelled and published under the other keys', async () => {
    const first = await bench.begin(submission(entries('a', 'b')));
    await bench.ledger.cancel({ run: first, by: 'ana@desk' });
    expect(await bench.states(first)).toEqual({ a: 'cancelled', b: 'cancelled' });
    await bench.ledger.finishRun(first);
    await publish(await bench.begin(submission(renamed('a', 'b'))));
    expect(await codes(submission(entries('a', 'b'), { forceOld: true }))).toEqual([
      'rekey-suspected',
      'rekey-suspected',
    ]);
  });

  it('are refused when a row that is not sent yet takes the source of a published one', async () => {
    await publish(await bench.begin(submission(entries('a'))));
    await bench.begin(submission(entries('a', 'b')));
    const taken = [entry(0, 'b', { values: { source: 'https://media.example/a.mp4' } })];
    expect(await codes(submission(taken))).toEqual(['rekey-suspected']);
  });

  it('are refused when the other key was given up after a create that may have happened', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.settle(id, 1, { kind: 'unconfirmed', code: 'worker-silent', message: 'silent', candidates: [] });
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'give-up' }, by: 'ana@desk' });
    expect(await codes(submission(renamed('a')))).toEqual(['rekey-suspected']);
  });

  it('are refused when the files are renamed together with their keys', async () => {
    const file = (key: string, fileModifiedMs: number): Entry =>
      entry(0, key, {
        values: { source: `/videos/${key}.mp4`, sourceKind: 'file', title: null, fileSize: 4711, fileModifiedMs },
      });
    await publish(await bench.begin(submission([file('a', 1)])));
    expect(await codes(submission([file('b', 1)]))).toEqual(['rekey-suspected']);
    expect(await codes(submission([file('c', 2)]))).toEqual([]);
  });
});
