import { WorkerForgottenError } from '../../../ledger/model/errors';
import { Bench, entries, NOON, submission, worker } from '../support';

describe('a worker that a person gives up', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  it('is known with its open creates, and not given up while it is heard of', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    await bench.claimed(run, await bench.firstId(run));
    expect(await bench.ledger.knownWorkers()).toEqual([
      expect.objectContaining({ id: 'worker-1', hostId: 'host', open: 1, forgottenAt: null }),
    ]);
    bench.time = NOON + 29_000;
    await expect(bench.ledger.forgetWorker('worker-1', 'ana')).rejects.toThrow(/still running; stop it/);
    await expect(bench.ledger.forgetWorker('worker-9', 'ana')).rejects.toThrow(/knows no worker/);
  });

  it('has no claim and no permission to send any more, and its open creates are as those of a dead one', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [first, second] = await bench.rowIds(run);
    await bench.claimed(run, first!);
    await bench.ledger.registerWorker(worker('worker-2'));
    bench.time = NOON + 31_000;
    await bench.ledger.forgetWorker('worker-1', 'ana');
    expect(await bench.ledger.unsettled(run)).toEqual([
      expect.objectContaining({ rowId: first, workerForgotten: true, endedAt: null }),
    ]);
    await expect(bench.claim(run, second!)).rejects.toThrow(WorkerForgottenError);
    await expect(bench.ledger.workerSeen('worker-1')).rejects.toThrow(WorkerForgottenError);
    await bench.ledger.workerSeen('worker-2');
    expect((await bench.claim(run, second!, 'worker-2')).claimed).toBe(true);
    // What it was answered is recorded all the same, whenever it comes.
    await bench.ledger.endDeadAttempt(first!, 1);
    expect(await bench.ledger.maySend(first!, 1, 'worker-1')).toBe(false);
    await bench.ledger.record(first!, 1, { kind: 'accepted', publicationId: 'pub-1', status: 'processing' });
    expect(await bench.states(run)).toMatchObject({ a: 'processing' });
  });
});
