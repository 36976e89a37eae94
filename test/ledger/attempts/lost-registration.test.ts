import { WorkerUnknownError } from '../../../ledger/model/errors';
import { Bench, entries, NOON, submission, worker } from '../support';

const LOST = "delete from workers where id = 'worker-1'";
const ACCEPTED = { kind: 'accepted', publicationId: 'pub-1', status: 'processing' } as const;

describe('a database that lost a worker’s registration', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  it('gives it no claim any more, and what it had claimed waits as for a silent worker', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [first, second] = await bench.rowIds(run);
    await bench.claimed(run, first!);
    await bench.change(LOST);
    await expect(bench.claim(run, second!)).rejects.toThrow(WorkerUnknownError);
    await expect(bench.ledger.workerSeen('worker-1')).rejects.toThrow(WorkerUnknownError);
    const at = new Date(NOON).toISOString();
    expect(await bench.ledger.unsettled(run)).toMatchObject([
      { rowId: first, endedAt: null, workerSeenAt: at, workerForgotten: false, worker: { id: 'worker-1', hostId: '' } },
    ]);
    await bench.ledger.record(first!, 1, ACCEPTED, 'worker-1');
    expect(await bench.states(run)).toMatchObject({ a: 'processing' });
  });

  it('and its claim, lets only the worker that has claimed the row since send it', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.change(
      `${LOST}; delete from attempts; update rows set state = 'planned', attempts = 0, sent = 0 where id = ${String(id)}`,
    );
    expect(await bench.ledger.maySend(id, 1, 'worker-1')).toBe(false);
    await bench.ledger.registerWorker(worker('worker-2'));
    expect(await bench.claim(run, id, 'worker-2')).toMatchObject({ claimed: true, attempt: 1 });
    expect(await bench.ledger.maySend(id, 1, 'worker-1')).toBe(false);
    expect(await bench.ledger.maySend(id, 1, 'worker-2')).toBe(true);
    // The end that the first worker reports must not free the row while the second one sends it.
    const unsent = { kind: 'never-sent', code: 'given-up', message: 'given up before it was sent' } as const;
    await expect(bench.ledger.record(id, 1, unsent, 'worker-1')).rejects.toThrow(/another worker’s/);
    expect(await bench.states(run)).toEqual({ a: 'creating' });
    await bench.ledger.record(id, 1, ACCEPTED, 'worker-2');
    expect(await bench.states(run)).toEqual({ a: 'processing' });
  });
});
