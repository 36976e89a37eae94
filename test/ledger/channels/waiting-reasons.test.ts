import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entry, NOON, submission } from '../support';

describe('rows that wait', () => {
  let bench: Bench;
  let run: RunRef;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  /** Rows 0, 2, 4 … go to Garden, the others to Kitchen. */
  async function begin(rows: number, pace: PaceLayer): Promise<number[]> {
    const all = Array.from({ length: rows }, (_, at) =>
      entry(at, `k${at}`, { values: at % 2 === 0 ? {} : { profileId: 'p-2', profileName: 'Kitchen' } }),
    );
    run = await bench.begin(submission(all, { settings: { pace: [pace] } }));
    return bench.rowIds(run);
  }

  async function results(): Promise<ResultRecord[]> {
    const found: ResultRecord[] = [];
    for await (const record of bench.ledger.results(run)) found.push(record);
    return found;
  }

  async function reject(rowId: number, code: string, message: string): Promise<void> {
    const attempt = await bench.claimed(run, rowId);
    await bench.ledger.record(rowId, attempt, { kind: 'rejected', code, message });
  }

  it('for their channel’s pace say which rule it is and when the next one goes', async () => {
    const [first] = await begin(4, { maxPer: [{ count: 1, windowMs: 86_400_000 }] });
    await bench.claimed(run, first!);
    bench.time = NOON + 3_600_000;
    const shown = await results();
    expect(shown.map((record) => record.code)).toEqual([null, null, 'paced', null]);
    expect(shown[2]!.message).toBe('Garden · long: next 2026-03-03T12:00:00Z, cap 1 per 24h reached');
    const [garden, kitchen] = (await bench.ledger.channels(run)).sort((a, b) => (a.label < b.label ? -1 : 1));
    expect(garden).toMatchObject({ nextReadyAt: '2026-03-03T12:00:00.000Z', why: 'cap 1 per 24h reached', held: null });
    expect(kitchen).toMatchObject({ nextReadyAt: null, why: null, held: null });
  });

  it('for a parked channel say since when and why; a code or text that the campaign names parks at the first', async () => {
    const [first] = await begin(4, { parkOn: ['TOKEN expired', 'http-410'] });
    await reject(first!, 'http-422', 'the token expired yesterday');
    const shown = await results();
    expect(shown.map((record) => record.code)).toEqual(['http-422', null, 'parked', null]);
    expect(shown[2]!.message).toMatch(/^since 2026-03-02T12:00:00.000Z: Garden · long: .*TOKEN expired/u);
    const channels = await bench.ledger.channels(run);
    expect(channels.find((one) => one.label === 'Garden · long')!.held).toMatchObject({ kind: 'parked' });
    await bench.ledger.resume({ run, by: 'ana' });
    expect((await results())[2]!.code).toBeNull();
  });

  it('for what tolerance has stopped say so after the run has ended', async () => {
    const ids = await begin(4, { tolerate: { rows: 0 } });
    await reject(ids[0]!, 'http-422', 'bad title');
    await bench.ledger.finishRun(run);
    expect((await results()).map((record) => record.code)).toEqual(['http-422', 'stopped', 'stopped', 'stopped']);
  });

  it('in a paused channel leave the other channels alone', async () => {
    await begin(4, {});
    const channels = await bench.ledger.channels(run);
    const [garden, kitchen] = ['Garden · long', 'Kitchen · long'].map(
      (label) => channels.find((one) => one.label === label)!.id,
    );
    await bench.ledger.pause({ run, by: 'ana', channelId: garden! });
    await bench.ledger.setGate({ scope: 'account:another', kind: 'parked', by: 'reelay', reason: 'no key' });
    expect(await bench.ledger.holdOf(run, garden!)).toMatchObject({ kind: 'paused', by: 'ana' });
    expect(await bench.ledger.holdOf(run, kitchen!)).toBeNull();
    expect((await results()).map((record) => record.code)).toEqual(['paused', null, 'paused', null]);
  });

  it('keep what was changed meanwhile, by whom, with the newest first', async () => {
    await begin(2, {});
    await bench.ledger.pause({ run, by: 'ana' });
    bench.time += 60_000;
    const layer = { minGapMs: 600_000 };
    await bench.ledger.setLive({ run, by: 'ben', settings: [{ name: 'min_gap', shown: '10m', layer }] });
    await bench.ledger.resume({ run, by: 'cem' });
    await bench.ledger.cancel({ run, by: 'dan', keys: ['k1'] });
    const changes = await bench.ledger.liveChanges(run, 10);
    expect(changes.map(({ by, what }) => `${by}: ${what}`)).toEqual([
      'dan: cancel 1 row: k1',
      'cem: resume',
      'ben: set min_gap=10m',
      'ana: pause',
    ]);
    expect(changes.at(-1)!.at).toBe(new Date(NOON).toISOString());
  });
});
