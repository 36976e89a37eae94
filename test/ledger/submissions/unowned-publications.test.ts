import { Bench, entry, type EntryChanges, submission } from '../support';

/** Publications that no row owned when the ledger was reconciled are compared with what is sent later. */
describe('a row that could be a publication from before the ledger was restored', () => {
  const TITLE = 'Good words at last';
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const reconcile = (title: string | null = TITLE) =>
    bench.ledger.acceptRolledBack([
      { account: 'default', publication_id: 'p9', platform: 'platform_b', profile_id: 'p-1', title },
    ]);
  const begin = (changes: EntryChanges = {}) => bench.begin(submission([entry(0, 'a', changes), entry(1, 'b')]));
  const corrected: EntryChanges = { values: { title: TITLE } };

  it('is left to a person where its title was changed after the copy', async () => {
    await begin();
    await reconcile();
    const run = await begin(corrected);
    expect(await bench.states(run)).toEqual({ a: 'unconfirmed', b: 'planned' });
    expect(await bench.ledger.needsPerson(run)).toMatchObject([{ key: 'a', candidates: ['p9'] }]);
  });

  it('is left to a person where it was rejected, and corrected after the copy', async () => {
    const first = await begin();
    const id = await bench.firstId(first);
    await bench.claimed(first, id);
    await bench.ledger.record(id, 1, { kind: 'rejected', code: 'http-422', message: 'title not allowed' });
    await reconcile();
    const run = await begin(corrected);
    expect(await bench.states(run)).toEqual({ a: 'unconfirmed', b: 'planned' });
  });

  it('is left to a person where it was skipped, and wanted after the copy', async () => {
    await begin({ skip: true, ...corrected });
    await reconcile();
    const run = await begin(corrected);
    expect(await bench.states(run)).toEqual({ a: 'unconfirmed', b: 'planned' });
  });

  it('isn’t asked about again when another of its values changes after a person’s answer', async () => {
    await begin();
    await reconcile();
    const run = await begin(corrected);
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'not-published' }, by: 'ana' });
    await begin({ values: { title: TITLE, description: 'Now with a description' } });
    expect(await bench.states(run)).toEqual({ a: 'planned', b: 'planned' });
  });
});
