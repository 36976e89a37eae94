import { gateScope } from '../../../ledger/runs/gates';
import { Bench, entries, submission } from '../support';

describe('gates of a run that is superseded', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const again = (campaign: string) =>
    bench.ledger.beginRun({ campaign, workflowId: `campaign/${campaign}`, workflowRunId: 'another' });

  it.each(['spring', 'spring_week', 'spring.week', 'a_b_c', '_'])(
    'hold for the next one, in campaign %s',
    async (campaign) => {
      const run = await bench.begin(submission(entries('a'), { campaign }));
      const [channel] = await bench.ledger.channels(run);
      const scopes = (of: typeof run) => [gateScope.run(of), gateScope.runChannel(of, channel!.id)];
      for (const scope of scopes(run)) {
        await bench.ledger.setGate({ scope, kind: 'paused', by: 'ana', reason: 'wait' });
      }
      const next = await again(campaign);
      expect(next).toEqual({ campaign, number: 2 });
      expect((await bench.ledger.gates(next!)).map((gate) => gate.scope).sort()).toEqual(scopes(next!).sort());
      expect(await bench.claim(next!, await bench.firstId(next!))).toMatchObject({ claimed: false, reason: 'paused' });
    },
  );

  it('don’t come from a campaign whose name only resembles it', async () => {
    const other = await bench.begin(submission(entries('a'), { campaign: 'axb' }));
    const scope = gateScope.runChannel(other, 'channel');
    await bench.ledger.setGate({ scope, kind: 'paused', by: 'ana', reason: 'wait' });
    await bench.begin(submission(entries('a'), { campaign: 'a_b', settings: { repeat: 'allow' } }));
    const next = await again('a_b');
    expect(await bench.ledger.gates(next!)).toEqual([]);
  });
});
