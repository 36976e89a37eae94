import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry } from '../../../ledger/model/types';
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
    return (await bench.problems(input)).map(({ code }) => code);
  }

  it('are refused after the first rename was published with --prune', async () => {
    await bench.begin(submission(entries('a', 'b', 'c')));
    await bench.publish(await bench.begin(submission(renamed('a', 'b', 'c'), { vanished: 'prune' })));
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
    await bench.publish(await bench.begin(submission(renamed('a', 'b'))));
    expect(await codes(submission(entries('a', 'b'), { forceOld: true }))).toEqual([
      'rekey-suspected',
      'rekey-suspected',
    ]);
  });

  it('are refused when a row that is not sent yet takes the source of a published one', async () => {
    await bench.publish(await bench.begin(submission(entries('a'))));
    await bench.begin(submission(entries('a', 'b')));
    const taken = [entry(0, 'b', { values: { source: 'https://media.example/a.mp4' } })];
    expect(await codes(submission(taken))).toEqual(['rekey-suspected']);
  });

  it('are refused when a row that the service refused, and may have stored, has another source now', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    const refused = { kind: 'rejected', code: 'http-422', message: 'refused', httpStatus: 422 } as const;
    await bench.ledger.record(id, 1, refused);
    const corrected = entry(1, 'a', { values: { source: 'https://media.example/other.mp4' } });
    expect(await codes(submission([...renamed('a'), corrected]))).toEqual(['rekey-suspected']);
    expect(await codes(submission([corrected]))).toEqual([]);
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
    await bench.publish(await bench.begin(submission([file('a', 1)])));
    expect(await codes(submission([file('b', 1)]))).toEqual(['rekey-suspected']);
    expect(await codes(submission([file('c', 2)]))).toEqual([]);
  });

  it('never go out under both keys when the old row is claimed before the new manifest is imported', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a = 0] = await bench.rowIds(run);
    await bench.ledger.submit(submission([...renamed('a'), entry(1, 'b')], { vanished: 'prune' }));
    expect(await bench.claim(run, a)).toMatchObject({ claimed: false, reason: 'cancelled' });
    await bench.import();
    expect(await bench.states(run)).toEqual({ 'new-a': 'planned', b: 'planned', a: 'cancelled' });
  });

  it('never go out under both keys with --rekey and --prune either', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a = 0] = await bench.rowIds(run);
    await bench.ledger.submit(submission([...renamed('a'), entry(1, 'b')], { vanished: 'prune', rekey: true }));
    expect(await bench.claim(run, a)).toMatchObject({ claimed: false, reason: 'cancelled' });
    await bench.import();
    expect(await bench.states(run)).toEqual({ 'new-a': 'planned', b: 'planned', a: 'cancelled' });
  });

  it('never go out under both keys, whenever the old row is claimed while the new manifest is submitted', async () => {
    const seen = new Set<string>();
    for (let turns = 0; seen.size < 2 || turns < 20; turns++) {
      const campaign = `race-${turns}`;
      const settings = { repeat: 'allow' as const };
      const run = await bench.begin(submission(entries('a'), { campaign, settings }));
      const [a = 0] = await bench.rowIds(run);
      const again = submission(renamed('a'), { campaign, settings, vanished: 'prune' });
      const later = async () => {
        for (let turn = 0; turn < turns ** 2; turn++) await new Promise((resolve) => setImmediate(resolve));
        return bench.claim(run, a);
      };
      const [refused, claim] = await Promise.all([codes(again), later()]);
      await bench.import(campaign);
      const states = await bench.states(run);
      if (claim.claimed) expect([refused, states]).toEqual([['rekey-suspected'], { a: 'creating' }]);
      else expect([refused, states]).toEqual([[], { 'new-a': 'planned', a: 'cancelled' }]);
      if (claim.claimed)
        await bench.ledger.record(a, 1, { kind: 'accepted', publicationId: campaign, status: 'processing' });
      seen.add(claim.claimed ? 'claimed' : 'refused');
    }
    expect([...seen].sort()).toEqual(['claimed', 'refused']);
  });

  it('sources swapped between keys: a row keeps no source that another one has got, and none is sent twice', async () => {
    const swapped = [
      entry(0, 'a', { values: { source: 'https://media.example/b.mp4' } }),
      entry(1, 'b', { values: { source: 'https://media.example/a.mp4' } }),
    ];
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a = 0, b = 0] = await bench.rowIds(run);
    await bench.ledger.submit(submission(swapped));
    for (const id of [a, b]) expect(await bench.claim(run, id)).toMatchObject({ claimed: false });
    await bench.import();
    const claims = [await bench.claim(run, a), await bench.claim(run, b)];
    expect(claims).toMatchObject([
      { claimed: true, values: { source: 'https://media.example/b.mp4' } },
      { claimed: true, values: { source: 'https://media.example/a.mp4' } },
    ]);
    // By now both are being sent: another exchange would send both videos again.
    const [, b2 = entry(1, 'b')] = entries('a', 'b');
    const third = entry(2, 'c', { values: { source: 'https://media.example/b.mp4' } });
    expect(
      await codes(submission([entry(0, 'a', { values: { source: 'https://media.example/z.mp4' } }), b2, third])),
    ).toContain('rekey-suspected');
  });
});
