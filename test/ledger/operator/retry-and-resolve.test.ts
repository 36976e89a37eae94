import { Bench, entries, entry, submission } from '../support';
import { type RunRef } from '../../../ledger/model/types';

describe('what people decide', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  /** A row whose create may have happened, in a run that has ended. */
  async function unconfirmed(): Promise<{ run: RunRef; id: number }> {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.settle(id, 1, {
      kind: 'unconfirmed',
      code: 'worker-silent',
      message: 'silent',
      candidates: ['p1', 'p2'],
    });
    expect(await bench.ledger.finishRun(run)).toBe(true);
    return { run, id };
  }

  async function record(run: RunRef) {
    for await (const found of bench.ledger.results(run)) return found;
    throw new Error('no record');
  }

  it('leaves an unconfirmed row of a silent worker without a permission to send', async () => {
    const { run, id } = await unconfirmed();
    expect(await bench.ledger.maySend(id, 1, 'worker-1')).toBe(false);
    expect(await bench.states(run)).toEqual({ a: 'unconfirmed' });
  });

  it('shows who is asked, with channel and candidates', async () => {
    const { run } = await unconfirmed();
    expect(await bench.ledger.needsPerson(run)).toMatchObject([
      { key: 'a', state: 'unconfirmed', channel: 'Garden · long', candidates: ['p1', 'p2'], code: 'worker-silent' },
    ]);
  });

  it('takes a person’s word for a row whose lost answer is still being looked for, and for none that may be sent', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    const giveUp = () => bench.ledger.resolve({ run, key: 'a', decision: { kind: 'give-up' }, by: 'ana@desk' });
    await expect(giveUp()).rejects.toThrow('no unconfirmed row');
    expect(await bench.ledger.resolvable(run)).toEqual([]);
    await bench.ledger.record(id, 1, { kind: 'unknown', code: 'answer-lost', message: 'lost' });
    expect(await bench.ledger.resolvable(run)).toMatchObject([{ key: 'a', state: 'creating', isAttemptOver: true }]);
    expect(await giveUp()).toEqual({ state: 'cancelled', run: null });
    expect(await bench.ledger.settle(id, 1, { kind: 'repeat' })).toBe('cancelled');
  });

  it('takes no decision about an attempt that was sent again meanwhile', async () => {
    const { run } = await unconfirmed();
    const [asked] = await bench.ledger.resolvable(run);
    const answer = { run, key: 'a', attempts: asked!.attempts, by: 'ana@desk' };
    const decision = { kind: 'not-published' } as const;
    expect(await bench.ledger.resolve({ ...answer, decision })).toMatchObject({ state: 'planned' });
    const next = await bench.import();
    const id = await bench.firstId(next);
    await bench.claimed(next, id);
    await bench.ledger.record(id, 2, { kind: 'unknown', code: 'answer-lost', message: 'lost' });
    await expect(bench.ledger.resolve({ ...answer, decision })).rejects.toThrow('was sent again meanwhile');
    expect(await bench.states(next)).toEqual({ a: 'creating' });
  });

  it('knows whether the attempt of an unconfirmed row is over', async () => {
    const { run, id } = await unconfirmed();
    expect(await bench.ledger.resolvable(run)).toMatchObject([{ isAttemptOver: false }]);
    await bench.ledger.record(id, 1, { kind: 'never-sent', code: 'x', message: 'not sent' });
    expect(await bench.ledger.resolvable(run)).toMatchObject([{ isAttemptOver: true }]);
  });

  it.each([
    ['draft', { state: 'drafted', code: 'patch-pending', changes: 1 }],
    ['processing', { state: 'processing', code: 'published-differs', changes: 0 }],
  ] as const)(
    'knows what a named publication was sent with, if its row has changed since (shown as %s)',
    async (status, { changes, ...shown }) => {
      const draft = { values: { status: status === 'draft' ? ('draft' as const) : ('published' as const) } };
      const run = await bench.begin(submission([entry(0, 'a', draft)]));
      const id = await bench.firstId(run);
      await bench.claimed(run, id);
      await bench.ledger.record(id, 1, { kind: 'rejected', code: 'http-422', message: 'refused', httpStatus: 422 });
      const next = await bench.begin(submission([entry(0, 'a', { values: { ...draft.values, title: 'Corrected' } })]));
      expect(await bench.claim(next, id)).toMatchObject({ claimed: false, reason: 'unproven' });
      const several = { code: 'several-candidates', message: 'several', candidates: ['p1', 'p2'] };
      await bench.ledger.settle(id, 1, { kind: 'unconfirmed', ...several });
      const decision = { kind: 'published', publicationId: 'p1', status } as const;
      await bench.ledger.resolve({ run: next, key: 'a', decision, by: 'ana@desk' });
      expect(await record(next)).toMatchObject({ ...shown, title: 'Episode a' });
      expect(await bench.ledger.draftChanges(next)).toHaveLength(changes);
    },
  );

  it('ends a row by a named publication that has ended, without a new run', async () => {
    const { run } = await unconfirmed();
    const end = { state: 'published', status: 'published', videoUrl: 'https://v.example/1' } as const;
    const decision = { kind: 'published', publicationId: 'p1', end } as const;
    const done = await bench.ledger.resolve({ run, key: 'a', decision, by: 'ana@desk' });
    expect(done).toEqual({ state: 'published', run: null });
    const found = await record(run);
    expect(found).toMatchObject({ state: 'published', publication_id: 'p1', video_url: 'https://v.example/1' });
    expect(found.message).toContain('ana@desk');
    expect(found.candidates).toEqual([]);
  });

  /** The same of a direct publish. */
  async function unconfirmedDirect(): Promise<{ run: RunRef; id: number }> {
    const run = await bench.begin(submission([entry(0, 'a', { values: { via: 'direct' } })]));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'unknown', code: 'answer-lost', message: 'lost' });
    await bench.ledger.settle(id, 1, { kind: 'unconfirmed', code: 'direct-unread', message: '?', candidates: [] });
    return { run, id };
  }

  it('ends a direct publish by a person’s word, with or without its id, and never creates it again', async () => {
    const { run, id } = await unconfirmedDirect();
    const decision = { kind: 'submitted', publishId: null } as const;
    const done = await bench.ledger.resolve({ run, key: 'a', decision, by: 'ana@desk' });
    expect(done).toEqual({ state: 'submitted', run: null });
    expect(await record(run)).toMatchObject({
      ...{ state: 'submitted', publish_id: null, code: 'said-published', ended_at: new Date(bench.time).toISOString() },
      message: 'ana@desk says it was published; no outcome can be read',
    });
    expect(await bench.ledger.decisionsOf(id)).toMatchObject([{ kind: 'submitted', by: 'ana@desk' }]);
    expect(await bench.ledger.finishRun(run)).toBe(true);
    const again = await bench.begin(submission([entry(0, 'a', { values: { via: 'direct' } })]));
    expect(await bench.rowIds(again)).toEqual([]);
    expect((await bench.claim(again, id)).claimed).toBe(false);
  });

  it('takes an answer that arrives after a person’s word as the same publish', async () => {
    const { run, id } = await unconfirmedDirect();
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'submitted', publishId: null }, by: 'ana' });
    const late = { kind: 'submitted', publishId: 's1', message: 'submitted; no outcome can be read' } as const;
    expect(await bench.ledger.record(id, 1, late)).toEqual({ state: 'submitted' });
    expect(await record(run)).toMatchObject({ state: 'submitted', publish_id: 's1', code: null });
  });

  it('takes no word without an id for a row that has a publication, and no publish id twice', async () => {
    const { run } = await unconfirmed();
    const said = (publishId: string | null) => ({ kind: 'submitted', publishId }) as const;
    const wrong = bench.ledger.resolve({ run, key: 'a', decision: said(null), by: 'ana' });
    await expect(wrong).rejects.toThrow('isn’t a direct publish'.replace('’', "'"));
    const direct = (key: string, at: number) => entry(at, key, { values: { via: 'direct' } });
    const both = await bench.begin(submission([direct('x', 0), direct('y', 1)], { campaign: 'autumn' }));
    for (const id of await bench.rowIds(both)) {
      await bench.claimed(both, id);
      await bench.ledger.settle(id, 1, { kind: 'unconfirmed', code: 'direct-unread', message: '?', candidates: [] });
    }
    await bench.ledger.resolve({ run: both, key: 'x', decision: said('s1'), by: 'ana' });
    const twice = bench.ledger.resolve({ run: both, key: 'y', decision: said('s1'), by: 'ana' });
    await expect(twice).rejects.toThrow('that of row 2 (key x) of campaign autumn');
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'published', publicationId: 'p9' }, by: 'ana' });
    const others = bench.ledger.resolve({ run: both, key: 'y', decision: said('p9'), by: 'ana' });
    await expect(others).rejects.toThrow('(key a) of campaign spring');
    expect(await bench.states(both)).toEqual({ x: 'submitted', y: 'unconfirmed' });
  });

  it('counts what was given up apart from what was never sent, also in the manifest of a later submit', async () => {
    const { run } = await unconfirmed();
    expect(await bench.ledger.givenUp(run)).toBe(0);
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'give-up' }, by: 'ana' });
    expect(await record(run)).toMatchObject({ state: 'cancelled', code: 'given-up' });
    const next = await bench.begin(submission(entries('a', 'b')));
    await bench.ledger.cancel({ run: next, by: 'ana' });
    expect([await bench.ledger.counts(next), await bench.ledger.givenUp(next)]).toEqual([{ cancelled: 2 }, 1]);
    expect(await bench.ledger.givenUp(run)).toBe(1);
    const others = await bench.begin(submission(entries('b'), { vanished: 'keep', cancelled: 'send' }));
    expect(await bench.ledger.givenUp(others)).toBe(0);
  });

  it('gives a row that a late answer revived to the next submit, and counts it until then', async () => {
    const { run, id } = await unconfirmed();
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    expect(await bench.ledger.unfollowed('spring')).toBe(1);
    const next = await bench.begin(submission(entries('a')));
    expect(next.number).toBe(run.number + 1);
    expect(await bench.ledger.inFlight(next)).toHaveLength(1);
    expect(await bench.ledger.unfollowed('spring')).toBe(0);
  });

  it('gives it to a retry as well, though nothing else is to be tried', async () => {
    const { run, id } = await unconfirmed();
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    const retried = await bench.ledger.retry({ run, by: 'ana' });
    expect(retried).toEqual({ run: { campaign: 'spring', number: 2 }, planned: 0, reread: 0, followed: 1 });
    expect(await bench.ledger.inFlight(retried.run!)).toHaveLength(1);
  });

  it('says of an unconfirmed row that its worker never sent it, and leaves it to the person', async () => {
    const { run, id } = await unconfirmed();
    const late = await bench.ledger.record(id, 1, { kind: 'never-sent', code: 'given-up', message: 'given up' });
    expect(late).toEqual({ state: 'unconfirmed' });
    expect(await record(run)).toMatchObject({ state: 'unconfirmed', code: 'not-sent' });
  });

  it('counts what a retry takes, and reads earlier publications of a failed row before it is created anew', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    for (const [index, id] of (await bench.rowIds(run)).entries()) {
      await bench.claimed(run, id);
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: `p${index}`, status: 'processing' });
      const end = { publicationId: `p${index}`, state: 'failed', status: 'failed' } as const;
      await bench.ledger.recordEnds([{ rowId: id, ...end }]);
    }
    expect(await bench.ledger.countRetry({ run })).toEqual({ failed: 2 });
    expect(await bench.ledger.countRetry({ run, keys: ['b'] })).toEqual({ failed: 1 });
    await bench.ledger.retry({ run, by: 'ana', keys: ['b'] });
    const id = await bench.firstId(run);
    expect((await bench.ledger.earlier([id])).get(id)).toEqual(['p1']);
    expect(await bench.ledger.revive(id, { publicationId: 'p1', status: 'published' })).toBe('processing');
    expect((await bench.ledger.earlier([id])).size).toBe(0);
    expect((await bench.claim(run, id)).claimed).toBe(false);
  });

  it('knows what an earlier publication was sent with or changed to, when its row comes back to it', async () => {
    const version = (title: string, status: 'draft' | 'published' = 'draft') =>
      submission([entry(0, 'a', { values: { title, status } })]);
    const run = await bench.begin(version('First'));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'draft' });
    const changed = await bench.begin(version('Second'));
    await bench.ledger.recordDraftChange(
      changed,
      { rowId: id, publicationId: 'p1' },
      { kind: 'changed', status: 'draft' },
    );
    expect(await record(changed)).toMatchObject({ state: 'drafted', title: 'Second', code: null });
    const replaced = await bench.begin({ ...version('Third', 'published'), recreate: true });
    expect(await bench.states(replaced)).toEqual({ a: 'planned' });
    expect(await bench.ledger.revive(id, { publicationId: 'p1', status: 'published' })).toBe('processing');
    await bench.ledger.recordEnds([{ rowId: id, publicationId: 'p1', state: 'published', status: 'published' }]);
    expect(await record(replaced)).toMatchObject({ state: 'published', title: 'Second', code: 'published-differs' });
    expect(await bench.ledger.differing(replaced)).toBe(1);
  });

  it('keeps saying that a second publication exists, after the row has ended', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p2', status: 'processing' });
    await bench.ledger.recordEnds([{ rowId: id, publicationId: 'p1', state: 'published', status: 'published' }]);
    expect(await record(run)).toMatchObject({ state: 'published', code: 'second-publication', candidates: ['p2'] });
    expect(await bench.ledger.disputed(run)).toBe(1);
  });

  it('takes each row once, also one that is rejected again while a retry is at work', async () => {
    const keys = Array.from({ length: 1_000 }, (_, at) => `k${at}`);
    const run = await bench.begin(
      submission(entries(...keys), { settings: { channelConcurrency: 2_000, accountConcurrency: 2_000 } }),
    );
    await bench.ledger.setLive({
      run,
      by: 'ana',
      settings: [{ name: 'park-after', shown: '0', layer: { parkAfter: 0 } }],
    });
    const ids = await bench.rowIds(run);
    const reject = async (id: number): Promise<void> => {
      const claim = await bench.claim(run, id);
      if (!claim.claimed) return;
      await bench.ledger.record(id, claim.attempt, { kind: 'rejected', code: 'http-422', message: 'no' });
    };
    for (const id of ids) await reject(id);
    let done = false;
    const retrying = bench.ledger.retry({ run, by: 'ana' }).finally(() => (done = true));
    // The run's own worker tries the first rows again at once, and they are rejected once more.
    while (!done) await reject(ids[0]!);
    expect(await retrying).toMatchObject({ planned: 1_000 });
  });
});
