import { LedgerStateError } from '../../../ledger/model/errors';
import { mayMove, ROW_STATES, type RowState, TRANSITIONS } from '../../../ledger/model/states';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const SOON = '2026-03-02T14:00:00.000Z';

/** How a row comes into each state, through the ledger's own methods. Gives its id. */
type Road = (bench: Bench) => Promise<{ run: RunRef; id: number }>;

const planned: Road = async (bench) => {
  const run = await bench.begin(submission(entries('k')));
  return { run, id: await bench.firstId(run) };
};

function then(road: Road, step: (bench: Bench, id: number, run: RunRef) => Promise<unknown>): Road {
  return async (bench) => {
    const { run, id } = await road(bench);
    await step(bench, id, run);
    return { run, id };
  };
}

const creating = then(planned, (bench, id, run) => bench.claimed(run, id));
const processing = then(creating, ({ ledger }, id) =>
  ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' }),
);
const end = (state: 'published' | 'failed' | 'overdue') => (bench: Bench, rowId: number) =>
  bench.ledger.recordEnds([{ rowId, publicationId: 'p1', state, status: state }]);
const unknown = then(creating, ({ ledger }, id) =>
  ledger.record(id, 1, { kind: 'unknown', code: 'lost', message: 'cut' }),
);
const reject = { kind: 'rejected', code: 'http-422', message: 'no', column: 'title' } as const;

const ROADS: Record<RowState, Road> = {
  planned,
  waiting: async (bench) => {
    const run = await bench.begin(submission([entry(0, 'k', { values: { publishAt: SOON } })]));
    return { run, id: await bench.firstId(run) };
  },
  creating,
  processing,
  published: then(processing, end('published')),
  failed: then(processing, end('failed')),
  overdue: then(processing, end('overdue')),
  rejected: then(creating, ({ ledger }, id) => ledger.record(id, 1, reject)),
  unconfirmed: then(unknown, ({ ledger }, id) =>
    ledger.settle(id, 1, { kind: 'unconfirmed', code: 'lost', message: 'nobody knows', candidates: ['p9'] }),
  ),
  drafted: then(creating, ({ ledger }, id) =>
    ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'draft' }),
  ),
  submitted: then(creating, ({ ledger }, id) =>
    ledger.record(id, 1, { kind: 'submitted', publishId: 's1', message: 'ok' }),
  ),
  cancelled: then(planned, ({ ledger }, _, run) => ledger.cancel({ run, by: 'ana' })),
};

const givenUp = then(ROADS.unconfirmed, ({ ledger }, _, run) =>
  ledger.resolve({ run, key: 'k', decision: { kind: 'give-up' }, by: 'ana' }),
);
const accepted = (status: string) => (bench: Bench, id: number) =>
  bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status });
const submitted = (bench: Bench, id: number) =>
  bench.ledger.record(id, 1, { kind: 'submitted', publishId: 's1', message: 'ok' });
const edited = async (bench: Bench) => {
  await bench.begin(submission([entry(0, 'k', { values: { title: 'Mended' } })]));
};
const retried = (bench: Bench, _: number, run: RunRef) => bench.ledger.retry({ run, by: 'ana' });
const cancelled = (bench: Bench, _: number, run: RunRef) => bench.ledger.cancel({ run, by: 'ana' });
const claimed = (bench: Bench, id: number, run: RunRef) => bench.claimed(run, id);
const person =
  (decision: Parameters<Bench['ledger']['resolve']>[0]['decision']) => (bench: Bench, _: number, run: RunRef) =>
    bench.ledger.resolve({ run, key: 'k', decision, by: 'ana' });

/** A way along each move of the table: a road to its beginning, where it isn't the usual one, and the step. */
const MOVES: Record<string, [step: (bench: Bench, id: number, run: RunRef) => Promise<unknown>, road?: Road]> = {
  'planned → waiting': [(b) => b.begin(submission([entry(0, 'k', { values: { publishAt: SOON } })]))],
  'planned → creating': [claimed],
  'planned → cancelled': [cancelled],
  'waiting → planned': [(b) => b.begin(submission(entries('k')))],
  'waiting → creating': [
    (b, id, run) => {
      b.time = Date.parse(SOON);
      return b.claimed(run, id);
    },
  ],
  'waiting → cancelled': [cancelled],
  'creating → planned': [(b, id) => b.ledger.record(id, 1, { kind: 'never-sent', code: 'refused', message: 'no' })],
  'creating → processing': [accepted('processing')],
  'creating → published': [end('published')],
  'creating → failed': [end('failed')],
  'creating → rejected': [(b, id) => b.ledger.record(id, 1, reject)],
  'creating → unconfirmed': [
    (b, id) => b.ledger.settle(id, 1, { kind: 'unconfirmed', code: 'lost', message: '?', candidates: [] }),
    unknown,
  ],
  'creating → drafted': [accepted('draft')],
  'creating → submitted': [submitted],
  'creating → cancelled': [
    async (b, id, run) => {
      await cancelled(b, id, run);
      await b.ledger.record(id, 1, { kind: 'never-sent', code: 'refused', message: 'no' });
    },
  ],
  'processing → published': [end('published')],
  'processing → failed': [end('failed')],
  'processing → overdue': [end('overdue')],
  'processing → creating': [
    async (b, takenFrom) => {
      const rival = await b.begin(submission([entry(0, 'r', { values: { source: '/r.mp4' } })], { campaign: 'rival' }));
      const id = await b.firstId(rival);
      await b.claimed(rival, id);
      await b.ledger.record(id, 1, { kind: 'unknown', code: 'lost', message: 'cut' });
      const found = { publicationId: 'p1', status: 'processing' };
      expect(await b.ledger.settle(id, 1, { kind: 'adopt', ...found })).toBe('creating');
      expect(await b.ledger.settle(id, 1, { kind: 'adopt', ...found, takenFrom })).toBe('processing');
      // The answer that was taken back may come again, as from a spool.
      await b.ledger.record(takenFrom, 1, { kind: 'accepted', ...found });
      expect(await b.states(rival)).toEqual({ r: 'processing' });
    },
  ],
  'overdue → processing': [retried],
  'overdue → published': [end('published')],
  'overdue → failed': [end('failed')],
  'unconfirmed → planned': [person({ kind: 'not-published' })],
  'unconfirmed → processing': [person({ kind: 'published', publicationId: 'p9' })],
  'unconfirmed → published': [end('published')],
  'unconfirmed → failed': [end('failed')],
  'unconfirmed → rejected': [(b, id) => b.ledger.record(id, 1, reject)],
  'unconfirmed → drafted': [accepted('draft')],
  'unconfirmed → submitted': [submitted],
  'unconfirmed → cancelled': [person({ kind: 'give-up' })],
  'failed → planned': [edited],
  'failed → published': [end('published')],
  'failed → processing': [(b, id) => b.ledger.noteStatus(id, 'p1', 'processing')],
  'rejected → planned': [edited],
  'rejected → cancelled': [(b) => b.begin(submission(entries('other'), { vanished: 'prune' }))],
  'drafted → planned': [
    (b) => b.begin(submission([entry(0, 'k', { values: { source: '/other.mp4' } })], { recreate: true })),
  ],
  'drafted → processing': [
    (b, rowId, run) =>
      b.ledger.recordDraftChange(run, { rowId, publicationId: 'p1' }, { kind: 'went-on', status: 'processing' }),
  ],
  'cancelled → planned': [(b) => b.begin(submission(entries('k'), { cancelled: 'send' }))],
  'cancelled → processing': [accepted('processing'), givenUp],
  'cancelled → drafted': [accepted('draft'), givenUp],
  'cancelled → submitted': [submitted, givenUp],
};

describe('the states of a row', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  /** The row's state as a plan tells it, which also knows rows that a manifest lost. */
  async function stateOf(): Promise<RowState | null | undefined> {
    const plan = await bench.ledger.plan(submission([]));
    return plan.rows.find((row) => row.key === 'k')?.state;
  }

  for (const from of ROW_STATES) {
    for (const to of Object.keys(TRANSITIONS[from]) as RowState[]) {
      it(`${from} → ${to}: ${TRANSITIONS[from][to] ?? ''}`, async () => {
        const move = MOVES[`${from} → ${to}`];
        if (!move) throw new Error('the table has a move that nothing makes');
        const [step, road = ROADS[from]] = move;
        const { run, id } = await road(bench);
        expect(await stateOf()).toBe(from);
        await step(bench, id, run);
        expect(await stateOf()).toBe(to);
      });
    }
  }

  it('have no move in the tests that the table lacks', () => {
    for (const move of Object.keys(MOVES)) {
      const [from, to] = move.split(' → ') as [RowState, RowState];
      expect([move, mayMove(from, to)]).toEqual([move, true]);
    }
  });

  for (const state of ROW_STATES) {
    it(`no claim goes through for a ${state} row, unless it is planned or its time has come`, async () => {
      const { run, id } = await ROADS[state](bench);
      const claim = await bench.claim(run, id);
      expect(claim.claimed).toBe(state === 'planned');
      expect(await stateOf()).toBe(state === 'planned' ? 'creating' : state);
    });
  }

  // The others have no publication yet, and take the one that is found for them.
  for (const state of ROW_STATES.filter((one) => one !== 'creating' && one !== 'unconfirmed')) {
    it(`an end for a publication that isn't the row's is refused loudly for a ${state} row`, async () => {
      const { id } = await ROADS[state](bench);
      const wrong = bench.ledger.recordEnds([
        { rowId: id, publicationId: 'not-its-own', state: 'published', status: 'published' },
      ]);
      await expect(wrong).rejects.toThrow(LedgerStateError);
      expect(await stateOf()).toBe(state);
    });
  }

  it('keep a published row published, whatever is recorded later', async () => {
    const { run, id } = await ROADS.published(bench);
    await end('failed')(bench, id);
    await end('overdue')(bench, id);
    await bench.ledger.noteStatus(id, 'p1', 'processing');
    await bench.ledger.retry({ run, by: 'ana' });
    expect(await bench.ledger.record(id, 1, reject)).toEqual({ state: 'published' });
    expect(await stateOf()).toBe('published');
  });
});
