import { type AttemptOutcome } from '../../../ledger/model/attempt-types';
import { Bench, type EntryChanges, entries, entry, submission } from '../support';

const REFUSED: AttemptOutcome = { kind: 'rejected', code: 'http-422', message: 'refused', httpStatus: 422 };

/** The source of row `a`. */
const SAME = { source: 'https://media.example/a.mp4' };

/** Another row with the video of `a`. */
function again(key: string, { values, ...changes }: EntryChanges = {}) {
  return entry(0, key, { ...changes, values: { ...SAME, title: 'Corrected', ...values } });
}

describe('the video of a row that the service refused', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  /** Row `a` of the campaign spring, which the service refused. */
  async function refusedRow(): Promise<number> {
    const run = await bench.begin(submission([entry(0, 'a')]));
    await bench.ledger.saveBaseline(run, { account: 'default', takenAt: new Date().toISOString(), ids: ['older'] });
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, REFUSED);
    return id;
  }

  it.each([
    ['under a new key', submission([again('b')])],
    ['in another campaign', submission([again('b')], { campaign: 'summer' })],
    ['in another campaign, under its own key', submission([again('a')], { campaign: 'summer' })],
    ['under a new key, beside its row, which is skipped now', submission([again('b'), entry(1, 'a', { skip: true })])],
  ])('is looked for before it is sent %s', async (_, input) => {
    const a = await refusedRow();
    const run = await bench.begin(input);
    const b = await bench.firstId(run);
    expect(await bench.claim(run, b)).toMatchObject({ claimed: false, reason: 'unproven', state: 'creating' });
    const [lost, ...others] = await bench.ledger.unsettled(run);
    expect(lost).toMatchObject({ rowId: b, attempt: 1, refused: 'row', values: { title: 'Episode a' } });
    expect(others).toEqual([]);
    // It counts once, as what was sent: older publications of the run that sent it can't be it.
    expect(await bench.ledger.lostAttempts('default', bench.time)).toMatchObject([
      { rowId: b, attempt: 1, values: { title: 'Episode a' }, knownBefore: ['older'] },
    ]);
    expect(await bench.ledger.settle(b, 1, { kind: 'repeat' })).toBe('planned');
    expect(await bench.claim(run, b)).toMatchObject({ claimed: true, attempt: 2 });
    expect(b).not.toBe(a);
  });

  it.each([
    ['beside its row, in one manifest', submission([again('b'), entry(1, 'a')])],
    [
      'in another campaign that repeats videos',
      submission([again('b')], { campaign: 'summer', settings: { repeat: 'allow' } }),
    ],
    ['to another channel', submission([again('b', { values: { profileId: 'p-2', profileName: 'Kitchen' } })])],
    ['with another source', submission([again('b', { values: { source: 'https://media.example/other.mp4' } })])],
  ])('is not looked for when another row sends it %s', async (_, input) => {
    await refusedRow();
    const run = await bench.begin(input);
    expect(await bench.claim(run, await bench.firstId(run))).toMatchObject({ claimed: true, attempt: 1 });
  });

  it.each([
    ['by another row', submission([again('b')]), 1],
    ['by its own row, which is no longer sent directly', submission([entry(0, 'a')]), 2],
  ])('is not looked for %s if it was published directly, which no list shows', async (_, input, attempt) => {
    const run = await bench.begin(submission([entry(0, 'a', { values: { via: 'direct' } })]));
    const a = await bench.firstId(run);
    await bench.claimed(run, a);
    await bench.ledger.record(a, 1, REFUSED);
    const next = await bench.begin(input);
    expect(await bench.claim(next, await bench.firstId(next))).toMatchObject({ claimed: true, attempt });
  });

  it('is found by the row that takes its place, which shows what was sent and that its manifest says otherwise', async () => {
    await refusedRow();
    const run = await bench.begin(submission([again('b')]));
    const b = await bench.firstId(run);
    await bench.claim(run, b);
    const found = { kind: 'adopt', publicationId: 'p1', status: 'processing' } as const;
    expect(await bench.ledger.settle(b, 1, found)).toBe('processing');
    const records = [];
    for await (const { key, publication_id, title, code, column, attempts } of bench.ledger.results(run))
      records.push({ key, publication_id, title, code, column, attempts });
    expect(records).toContainEqual({
      ...{ key: 'b', publication_id: 'p1', title: 'Episode a', attempts: 1 },
      ...{ code: 'published-differs', column: 'title' },
    });
  });

  it.each([
    ['waits with another video now', {}],
    ['waits with another video now, and is cancelled', { cancel: true }],
  ])('is looked for in another campaign when its row %s', async (_, { cancel = false }: { cancel?: boolean }) => {
    const a = await refusedRow();
    const other = { source: 'https://media.example/other.mp4' };
    const spring = await bench.begin(submission([entry(0, 'a', { values: other })]));
    if (cancel) await bench.ledger.cancel({ run: spring, by: 'ana@desk' });
    const run = await bench.begin(submission([again('b')], { campaign: 'summer' }));
    const b = await bench.firstId(run);
    expect(await bench.claim(run, b)).toMatchObject({ claimed: false, reason: 'unproven', state: 'creating' });
    expect(await bench.ledger.unsettled(run)).toMatchObject([{ rowId: b, values: { ...SAME, title: 'Episode a' } }]);
    // Its own row still looks for what it sent itself.
    if (!cancel) expect(await bench.claim(spring, a)).toMatchObject({ claimed: false, reason: 'unproven' });
  });

  it('is looked for again when its own row is retried, after the other one was refused as well', async () => {
    const a = await refusedRow();
    const run = await bench.begin(submission([again('b')], { campaign: 'summer' }));
    const b = await bench.firstId(run);
    await bench.claim(run, b);
    await bench.ledger.settle(b, 1, { kind: 'repeat' });
    await bench.claimed(run, b);
    await bench.ledger.record(b, 2, REFUSED);
    await bench.ledger.retry({ run: { campaign: 'spring', number: 1 }, by: 'ana' });
    const retried = await bench.import();
    expect(await bench.claim(retried, a)).toMatchObject({ claimed: false, reason: 'unproven' });
    const lost = await bench.ledger.lostAttempts('default', bench.time);
    expect(lost.map(({ rowId }) => rowId).sort()).toEqual([a, b]);
  });

  it('is looked for by the newest row that takes its place, for each create that was refused', async () => {
    await refusedRow();
    const run = await bench.begin(submission([again('b')]));
    const b = await bench.firstId(run);
    await bench.claim(run, b);
    await bench.ledger.settle(b, 1, { kind: 'repeat' });
    await bench.claimed(run, b);
    await bench.ledger.record(b, 2, REFUSED);
    const next = await bench.begin(submission([again('c')]));
    const c = await bench.firstId(next);
    expect(await bench.claim(next, c)).toMatchObject({ reason: 'unproven' });
    expect(await bench.ledger.unsettled(next)).toMatchObject([{ rowId: c, values: { title: 'Corrected' } }]);
    expect(await bench.ledger.settle(c, 1, { kind: 'repeat' })).toBe('planned');
    expect(await bench.claim(next, c)).toMatchObject({ claimed: true, attempt: 2 });
  });

  it('is looked for after a refused key too, once the row that waited for it was cancelled', async () => {
    const run = await bench.begin(submission(entries('a')));
    const a = await bench.firstId(run);
    await bench.claimed(run, a);
    const refused = {
      kind: 'auth-refused',
      code: 'http-403',
      message: 'no',
      httpStatus: 403,
      park: 'channel',
    } as const;
    expect(await bench.ledger.record(a, 1, refused)).toEqual({ state: 'planned' });
    await bench.ledger.cancel({ run, by: 'ana' });
    const next = await bench.begin(submission([again('b')]));
    const [parking] = await bench.ledger.gates(next);
    await bench.ledger.unpark({ scope: parking!.scope, by: 'ana', why: 'looked' });
    const b = await bench.firstId(next);
    expect(await bench.claim(next, b)).toMatchObject({ reason: 'unproven' });
    expect(await bench.ledger.unsettled(next)).toMatchObject([{ rowId: b, refused: 'access' }]);
  });
});
