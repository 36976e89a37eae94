import fc from 'fast-check';
import { gateScope } from '../../../ledger/runs/gates';
import { Bench, entries, entry, NOON, submission } from '../support';

const HOUR = 3600 * 1000;

describe('claim', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  it('gives the values to send once, and then says that the row is taken', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    expect(await bench.claim(run, id)).toMatchObject({
      claimed: true,
      attempt: 1,
      account: 'default',
      key: 'a',
      line: 2,
    });
    expect(await bench.claim(run, id)).toEqual({ claimed: false, reason: 'taken', state: 'creating' });
    expect(await bench.ledger.maySend(id, 1, 'worker-1')).toBe(true);
    await bench.ledger.endDeadAttempt(id, 1);
    expect(await bench.ledger.maySend(id, 1, 'worker-1')).toBe(false);
  });

  it('is refused by every kind of gate on every scope, until it is cleared', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    const [channel] = await bench.ledger.channels(run);
    const scopes = [
      gateScope.run(run),
      gateScope.runChannel(run, channel!.id),
      gateScope.channel(channel!.id),
      gateScope.account('default'),
    ];
    for (const scope of scopes) {
      for (const kind of ['paused', 'parked', 'stopped'] as const) {
        await bench.ledger.setGate({ scope, kind, by: 'ana', reason: 'test' });
        expect(await bench.claim(run, id)).toMatchObject({ claimed: false, reason: kind });
        expect((await bench.ledger.gates(run)).map((gate) => gate.scope)).toEqual([scope]);
        await bench.ledger.clearGate(scope, kind);
      }
    }
    await bench.ledger.setGate({ scope: gateScope.account('other'), kind: 'paused', by: 'ana', reason: 'test' });
    expect((await bench.claim(run, id)).claimed).toBe(true);
  });

  it('cancels a row that a cancel, killed after its commit, had not come to', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.ledger.setGate({ scope: gateScope.run(run), kind: 'cancelled', by: 'ana', reason: 'test' });
    expect(await bench.claim(run, id)).toEqual({ claimed: false, reason: 'cancelled', state: 'cancelled' });
    expect(await bench.ledger.openRows(run)).toBe(0);
  });

  it('keeps to the open creates of the channel and of the account', async () => {
    const rows = [0, 1, 2, 3].map((at) => entry(at, `k${at}`, { values: { profileId: at < 2 ? 'p-1' : 'p-2' } }));
    const run = await bench.begin(submission(rows, { settings: { channelConcurrency: 1, accountConcurrency: 2 } }));
    const ids = await bench.rowIds(run);
    const claims = [];
    for (const id of ids) claims.push(await bench.claim(run, id));
    expect(claims.filter((claim) => claim.claimed)).toHaveLength(2);
    expect(claims.filter((claim) => !claim.claimed && claim.reason === 'busy')).toHaveLength(2);
    await bench.ledger.record(ids[0]!, 1, { kind: 'unknown', code: 'lost', message: 'cut' });
    expect((await bench.claim(run, ids[1]!)).claimed).toBe(true);
  });

  it('waits for the time of the row', async () => {
    const publishAt = new Date(NOON + HOUR).toISOString();
    const run = await bench.begin(submission([entry(0, 'a', { values: { publishAt } })]));
    const id = await bench.firstId(run);
    expect(await bench.claim(run, id)).toEqual({
      claimed: false,
      reason: 'not-ready',
      state: 'waiting',
      readyAt: publishAt,
    });
    expect((await bench.ledger.channels(run))[0]).toMatchObject({ nextReadyAt: publishAt, open: 1, sending: 0 });
    bench.time = NOON + HOUR;
    expect((await bench.claim(run, id)).claimed).toBe(true);
    expect((await bench.ledger.channels(run))[0]).toMatchObject({ open: 1, sending: 1 });
  });

  for (const [late, state] of [
    ['hold', 'waiting'],
    ['skip', 'cancelled'],
    ['publish', 'creating'],
  ] as const) {
    it(`leaves a row ${state} whose time was missed by more than an hour, with late: ${late}`, async () => {
      const rows = [entry(0, 'a', { values: { publishAt: new Date(NOON + HOUR).toISOString() } })];
      const run = await bench.begin(submission(rows, { settings: { late } }));
      const id = await bench.firstId(run);
      bench.time = NOON + 2 * HOUR + 1;
      const claim = await bench.claim(run, id);
      expect(claim.claimed).toBe(late === 'publish');
      expect(await bench.states(run)).toEqual({ a: state });
      expect(await bench.rowIds(run)).toEqual([]);
      if (late !== 'hold') return;
      await bench.begin(submission(rows, { settings: { late: 'publish' } }));
      expect((await bench.claim(run, id)).claimed).toBe(true);
    });
  }

  it('is refused to a run that was superseded, and goes to the one that took its rows', async () => {
    const old = await bench.begin(submission(entries('a', 'b')));
    const id = await bench.firstId(old);
    const run = await bench.ledger.beginRun({
      campaign: 'spring',
      workflowId: 'campaign/spring',
      workflowRunId: 'reset',
    });
    expect(run).toEqual({ campaign: 'spring', number: 2 });
    expect(await bench.claim(old, id)).toMatchObject({ claimed: false, reason: 'not-held' });
    expect(await bench.ledger.holds(old)).toBe(false);
    expect((await bench.claim(run!, id)).claimed).toBe(true);
    const again = await bench.ledger.beginRun({
      campaign: 'spring',
      workflowId: 'campaign/spring',
      workflowRunId: 'execution-1',
    });
    expect(again).toEqual(old);
    expect(await bench.ledger.holds(run!)).toBe(true);
  });

  it('is refused loudly to a worker that never registered', async () => {
    const run = await bench.begin(submission(entries('a')));
    await expect(bench.claim(run, await bench.firstId(run), 'stranger')).rejects.toThrow(/stranger/);
  });

  it('keeps at most one attempt of a row alive and one owner for a publication, in any order of events', async () => {
    const event = fc.record({
      row: fc.nat(2),
      what: fc.constantFrom(
        'claim',
        'accept',
        'reject',
        'unsent',
        'unknown',
        'dead',
        'adopt',
        'repeat',
        'unconfirmed',
        'late',
        'retry',
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), async (events) => {
        const own = await new Bench().open();
        try {
          const run = await own.begin(submission(entries('a', 'b', 'c')));
          const ids = await own.rowIds(run);
          const attempts = new Map<number, number>();
          const accepted = new Map<number, Set<string>>();
          for (const { row, what } of events) {
            const id = ids[row]!;
            const attempt = attempts.get(id) ?? 0;
            const before = (await own.ledger.unsettled(run)).filter((open) => open.rowId === id);
            if (what === 'claim') {
              const claim = await own.claim(run, id);
              if (claim.claimed) {
                // The promise: never a second create while the first may have happened.
                expect(before).toEqual([]);
                expect(accepted.get(id) ?? new Set()).toEqual(new Set());
                expect(claim.attempt).toBe(attempt + 1);
                attempts.set(id, claim.attempt);
              }
              continue;
            }
            if (what === 'retry') {
              await own.ledger.retry({ run, by: 'ana', states: ['rejected'] });
              continue;
            }
            if (attempt === 0) continue;
            const open = before.find((one) => one.attempt === attempt);
            const id_ = `pub-${id}-${attempt}`;
            if (what === 'dead') await own.ledger.endDeadAttempt(id, attempt);
            else if (what === 'reject')
              await own.ledger.record(id, attempt, { kind: 'rejected', code: 'x', message: 'x' });
            else if (what === 'unsent')
              await own.ledger.record(id, attempt, { kind: 'never-sent', code: 'x', message: 'x' });
            else if (what === 'unknown')
              await own.ledger.record(id, attempt, { kind: 'unknown', code: 'x', message: 'x' });
            else if (what === 'accept' || what === 'late') {
              await own.ledger.record(id, attempt, { kind: 'accepted', publicationId: id_, status: 'processing' });
              accepted.set(id, (accepted.get(id) ?? new Set()).add(id_));
            } else if (open !== undefined && open.endedAt !== null) {
              if (what === 'adopt') {
                await own.ledger.settle(id, attempt, { kind: 'adopt', publicationId: id_, status: 'processing' });
                accepted.set(id, (accepted.get(id) ?? new Set()).add(id_));
              } else if (what === 'repeat') await own.ledger.settle(id, attempt, { kind: 'repeat' });
              else
                await own.ledger.settle(id, attempt, { kind: 'unconfirmed', code: 'x', message: 'x', candidates: [] });
            }
          }
          for await (const record of own.ledger.results(run)) {
            const ids_ = accepted.get(ids[['a', 'b', 'c'].indexOf(record.key)]!) ?? new Set();
            if (ids_.size > 0) expect(ids_).toContain(record.publication_id);
            else expect(record.publication_id).toBeNull();
          }
          const all = [...accepted.values()].flatMap((set) => [...set]);
          expect([...(await own.ledger.owned('default', all)).keys()].sort()).toEqual(all.sort());
        } finally {
          await own.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});
