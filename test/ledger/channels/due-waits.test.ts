import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { type ChannelWork, type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, NOON, submission } from '../support';

const MINUTE = 60_000;

describe('rows that are due', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const begin = (keys: string[], pace: PaceLayer = {}, campaign = 'spring'): Promise<RunRef> =>
    bench.begin(submission(entries(...keys), { campaign, settings: { pace: [pace] } }));

  async function waits(run: RunRef): Promise<Pick<ChannelWork, 'nextReadyAt' | 'why'>> {
    const [{ nextReadyAt, why } = { nextReadyAt: null, why: null }] = await bench.ledger.channels(run);
    return { nextReadyAt, why };
  }

  async function reasons(run: RunRef): Promise<Pick<ResultRecord, 'code' | 'message'>[]> {
    const found: Pick<ResultRecord, 'code' | 'message'>[] = [];
    for await (const { code, message } of bench.ledger.results(run)) found.push({ code, message });
    return found;
  }

  it('and held back by their channel’s concurrency alone say so until a place is free', async () => {
    const later = new Date(NOON + 60 * MINUTE).toISOString();
    const rows = [...entries('a', 'b'), entry(2, 'c', { values: { publishAt: later } })];
    const run = await bench.begin(submission(rows, { settings: { pace: [{ concurrency: 1 }] } }));
    const [a] = await bench.rowIds(run);
    expect(await waits(run)).toEqual({ nextReadyAt: null, why: null });
    const attempt = await bench.claimed(run, a!);
    const why = 'waits for a free slot (concurrency 1)';
    expect(await waits(run)).toEqual({ nextReadyAt: null, why });
    // The one whose time is to come waits for that.
    expect(await reasons(run)).toEqual([
      { code: null, message: null },
      { code: 'queued', message: `Garden · long: ${why}` },
      { code: null, message: null },
    ]);
    await bench.ledger.record(a!, attempt, { kind: 'accepted', publicationId: 'pub-a', status: 'processing' });
    expect(await waits(run)).toEqual({ nextReadyAt: null, why: null });
  });

  it('name the run that has their channel’s place, and say when their account has none left', async () => {
    const other = await begin(['x'], {}, 'autumn');
    await bench.claimed(other, await bench.firstId(other));
    const run = await begin(['a'], { concurrency: 1 });
    expect((await waits(run)).why).toBe('waits for a free slot (concurrency 1, taken by autumn.1)');
    const settings = { accountConcurrency: 1 };
    const third = await bench.begin(submission(entries('y'), { campaign: 'winter', settings }));
    expect((await waits(third)).why).toBe('waits for a free slot (1 in account default, taken by autumn.1)');
  });

  it('and wait for the first rows of their channel say that', async () => {
    const run = await begin(['a', 'b'], { canary: { rows: 1, share: 0 } });
    await bench.claimed(run, await bench.firstId(run));
    expect(await waits(run)).toEqual({ nextReadyAt: null, why: 'its first rows have not ended yet' });
  });

  it.each([
    { kind: 'unknown', code: 'http-503', message: 'busy', httpStatus: 503, notBefore: NOON + 10 * MINUTE },
    { kind: 'never-sent', code: 'http-429', message: 'slow down', retryAt: NOON + 10 * MINUTE },
  ] as const)('say until when the service asked to wait ($kind)', async (outcome) => {
    const run = await begin(['a', 'b'], { minGapMs: MINUTE });
    const id = await bench.firstId(run);
    await bench.ledger.record(id, await bench.claimed(run, id), outcome);
    const [channel] = await bench.ledger.channels(run);
    const asked = { nextReadyAt: '2026-03-02T12:10:00.000Z', why: 'the service asked to wait', throttled: true };
    expect(channel).toMatchObject(asked);
    const message = 'Garden · long: next 2026-03-02T12:10:00Z, the service asked to wait';
    expect((await reasons(run))[1]).toEqual({ code: 'paced', message });
    // Another run was asked for nothing.
    const other = await begin(['x'], {}, 'autumn');
    expect((await bench.ledger.channels(other))[0]).toMatchObject({ nextReadyAt: null, why: null, throttled: false });
    bench.time += 11 * MINUTE;
    expect(await waits(run)).toEqual({ nextReadyAt: null, why: null });
  });
});
