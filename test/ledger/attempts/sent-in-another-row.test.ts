import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type CampaignSettings, type RunRef } from '../../../ledger/model/types';
import { Bench, type EntryChanges, entry, submission } from '../support';

const VIDEO = 'https://media.example/a.mp4';

/** A row with the video of `a`. */
function same(position: number, key: string, { values, ...changes }: EntryChanges = {}) {
  return entry(position, key, { ...changes, values: { source: VIDEO, ...values } });
}

describe('a failed row that is retried after its video was sent in another row', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  /** Row `a` of the campaign spring, in a run that has ended. */
  async function failedRow(settings: Partial<CampaignSettings> = {}): Promise<RunRef> {
    const run = await bench.begin(submission([same(0, 'a')], { settings }));
    const rowId = await bench.firstId(run);
    await bench.publish(run);
    await bench.ledger.recordEnds([{ rowId, publicationId: `pub-${rowId}`, state: 'failed', status: 'failed' }]);
    expect(await bench.ledger.finishRun(run)).toBe(true);
    return run;
  }

  async function retried(run: RunRef) {
    const { run: again } = await bench.ledger.retry({ run, by: 'ana@desk' });
    if (again === null) throw new Error('nothing to retry');
    await bench.import(again.campaign);
    return { again, claim: await bench.claim(again, await bench.firstId(again)) };
  }

  it.each<[string, SubmissionInput, string]>([
    ['by another campaign', submission([same(0, 'x')], { campaign: 'summer' }), 'campaign summer, row 2'],
    ['under a new key', submission([same(0, 'b')]), 'row 2 (key b)'],
  ])('is not sent again: %s', async (_, input, place) => {
    const run = await failedRow();
    await bench.publish(await bench.begin(input));
    const { again, claim } = await retried(run);
    expect(claim).toMatchObject({ claimed: false, reason: 'cancelled', state: 'cancelled' });
    const found = [];
    for await (const record of bench.ledger.results(again)) found.push(record);
    expect(found.find(({ key }) => key === 'a')).toMatchObject({
      state: 'cancelled',
      code: 'source-repeated',
      message: expect.stringContaining(place),
    });
  });

  it('is not sent while the create of the other row may be under way', async () => {
    const run = await failedRow();
    const other = await bench.begin(submission([same(0, 'x')], { campaign: 'summer' }));
    await bench.claimed(other, await bench.firstId(other));
    expect((await retried(run)).claim).toMatchObject({ claimed: false, reason: 'cancelled' });
  });

  it.each<[string, Partial<CampaignSettings>, SubmissionInput]>([
    ['its campaign repeats videos', { repeat: 'allow' }, submission([same(0, 'x')], { campaign: 'summer' })],
    [
      'the other campaign repeats videos',
      {},
      submission([same(0, 'x')], { campaign: 'summer', settings: { repeat: 'allow' } }),
    ],
    ['the manifest has both rows', {}, submission([same(0, 'a'), same(1, 'b')])],
    [
      'the other row went to another channel',
      {},
      submission([same(0, 'x', { values: { profileId: 'p-2', profileName: 'Kitchen' } })], { campaign: 'summer' }),
    ],
  ])('is sent again where %s', async (_, settings, input) => {
    const run = await failedRow(settings);
    await bench.publish(await bench.begin(input));
    expect((await retried(run)).claim).toMatchObject({ claimed: true });
  });

  it('is sent again where the other row has failed too, or waits', async () => {
    const run = await failedRow();
    const failed = await bench.begin(submission([same(0, 'x')], { campaign: 'summer' }));
    const rowId = await bench.firstId(failed);
    await bench.publish(failed);
    await bench.ledger.recordEnds([{ rowId, publicationId: `pub-${rowId}`, state: 'failed', status: 'failed' }]);
    await bench.begin(submission([same(0, 'y')], { campaign: 'autumn' }));
    expect((await retried(run)).claim).toMatchObject({ claimed: true });
  });
});
