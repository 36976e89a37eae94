import { type SettleDecision } from '../../../ledger/attempts/settle';
import { Bench, entries, submission } from '../support';

describe('a row that was left to a person as its worker was silent', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const SILENT: SettleDecision = { kind: 'unconfirmed', code: 'worker-silent', message: 'silent', candidates: [] };

  it('and whose worker then records a refusal, is looked for before it is sent again: a refusal proves nothing', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.settle(id, 1, SILENT);
    await bench.ledger.record(id, 1, { kind: 'rejected', code: 'http-422', message: 'refused', httpStatus: 422 });
    expect(await bench.states(run)).toEqual({ a: 'rejected' });
    await bench.ledger.retry({ run, by: 'ana' });
    const again = await bench.import();
    expect(await bench.claim(again, id)).toMatchObject({ claimed: false, reason: 'unproven' });
    expect(await bench.ledger.unsettled(again)).toEqual([expect.objectContaining({ rowId: id, attempt: 1 })]);
  });
});
