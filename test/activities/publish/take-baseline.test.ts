import { takeBaseline } from '../../../activities/publish/take-baseline';
import { Harness } from '../harness';

let harness: Harness;
beforeEach(async () => (harness = await Harness.open({ rows: 1 })));
afterEach(() => harness.close());

it('is taken for a run before its first create, also while a create of the run before has no answer', async () => {
  const { deps, ledger, run } = harness;
  const connection = deps.accounts.get('main');
  await takeBaseline(deps, run, connection);
  const [{ id } = { id: 0 }] = await ledger.takePage({
    run,
    channelId: (await ledger.channels(run))[0]!.id,
    limit: 1,
    now: Date.now(),
  });
  await ledger.claim({ rowId: id, run, worker: deps.worker.id, now: Date.now() });

  const next = await ledger.beginRun({
    campaign: run.campaign,
    workflowId: 'campaign/trial',
    workflowRunId: 'reset in the Web UI',
  });
  await takeBaseline(deps, next!, connection);

  await ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
  // Taken only now, it would have what the run has made by then, as if that had been there before.
  expect(await ledger.baseline(next!, 'main')).not.toBeNull();
});
