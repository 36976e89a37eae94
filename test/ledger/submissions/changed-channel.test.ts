import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const KITCHEN = { profileId: 'p-2', profileName: 'Kitchen' };

function inKitchen(position: number, key: string, source = key): Entry {
  return entry(position, key, { values: { ...KITCHEN, source: `https://media.example/${source}.mp4` } });
}

describe('rows that get another channel', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function problems(input: SubmissionInput): Promise<(readonly [string, string])[]> {
    return (await bench.problems(input)).map(({ code, message }) => [code, message]);
  }

  it('are refused after they were sent, naming both channels', async () => {
    await bench.publish(await bench.begin(submission(entries('a', 'b'))));
    const moved = submission([inKitchen(0, 'a'), inKitchen(1, 'new', 'b')]);
    expect(await problems(moved)).toEqual([
      [
        'rekey-suspected',
        expect.stringMatching(/key a is new in Kitchen · long, but it was.* sent to Garden · long;/u),
      ],
      ['rekey-suspected', expect.stringMatching(/its source was.* sent to Garden · long under key b;/u)],
    ]);
    expect((await bench.ledger.plan(moved)).actions).toMatchObject({ refuse: 2, create: 0 });
    expect((await bench.ledger.plan({ ...moved, rekey: true })).actions).toMatchObject({ create: 2 });
  });

  it('are refused when only the account or the platform differs', async () => {
    await bench.publish(await bench.begin(submission(entries('a'))));
    expect(await problems(submission([entry(0, 'a', { account: 'brand' })]))).toEqual([
      ['rekey-suspected', expect.stringContaining('sent to Garden · long (account default)')],
    ]);
    const short = { platform: 'platform_a', platformKind: 'short' as const };
    expect(await problems(submission([entry(0, 'a', { values: short })]))).toMatchObject([
      ['rekey-suspected', expect.any(String)],
    ]);
  });

  it('may be published in the other channel as well, beside the old row', async () => {
    await bench.publish(await bench.begin(submission(entries('a'))));
    expect(await problems(submission([entry(0, 'a'), inKitchen(1, 'a')]))).toEqual([]);
  });

  it('before they are sent, only need --prune, and never go out in the old channel then', async () => {
    const run = await bench.begin(submission(entries('a')));
    const old = await bench.firstId(run);
    expect(await problems(submission([inKitchen(0, 'a')]))).toMatchObject([['rows-vanished', expect.any(String)]]);
    expect(await problems(submission([inKitchen(0, 'a')], { vanished: 'prune' }))).toEqual([]);
    expect(await bench.claim(run, old)).toMatchObject({ claimed: false, reason: 'cancelled' });
    await bench.import();
    const shown: string[] = [];
    for await (const { channel, state } of bench.ledger.results(run)) shown.push(`${channel} ${state}`);
    expect(shown).toEqual(['Kitchen · long planned', 'Garden · long cancelled']);
  });
});
