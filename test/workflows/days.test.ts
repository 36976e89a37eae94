import { DAY, Days, mostIn, simulateEnd } from '../support/days';

jest.setTimeout(600_000);

const CAPS = [
  { count: 15, windowMs: DAY },
  { count: 10, windowMs: 3_600_000 },
];
const SLOT = DAY / 15;

describe('a campaign of days', () => {
  let days: Days;
  afterEach(() => days.close());

  it('keeps every cap and ends when its plan and an independent simulation say', async () => {
    days = await Days.open(1, 3);
    const submitted = await days.submit('days', { channels: 3, rowsEach: 32 }, { maxPer: CAPS });
    await submitted.ended();
    const sent = days.sent();
    expect(sent).toHaveLength(96);
    expect(await days.ledger.counts(submitted.run)).toEqual({ published: 96 });
    for (const channel of new Set(sent.map((one) => one.channel))) {
      const times = sent.filter((one) => one.channel === channel).map((one) => one.at);
      for (const { count, windowMs } of CAPS) expect(mostIn(times, windowMs)).toBeLessThanOrEqual(count);
    }
    const ended = sent.at(-1)!.at;
    const simulated = simulateEnd(32, CAPS, submitted.began);
    expect(Math.abs(submitted.plannedEnd - simulated)).toBeLessThan(SLOT);
    expect(ended - simulated).toBeLessThan(SLOT);
    expect(Math.abs(ended - submitted.plannedEnd)).toBeLessThan(SLOT);
  });

  it('shares its channels’ caps with another campaign, on two workers', async () => {
    days = await Days.open(2, 2);
    const size = { channels: 2, rowsEach: 12 };
    const both = await Promise.all(['north', 'south'].map((name) => days.submit(name, size, { maxPer: CAPS })));
    await Promise.all(both.map((one) => one.ended()));
    const sent = days.sent();
    expect(sent).toHaveLength(48);
    for (const channel of new Set(sent.map((one) => one.channel))) {
      const times = sent.filter((one) => one.channel === channel).map((one) => one.at);
      for (const { count, windowMs } of CAPS) expect(mostIn(times, windowMs)).toBeLessThanOrEqual(count);
    }
    const simulated = simulateEnd(24, CAPS, both[0]!.began);
    expect(sent.at(-1)!.at - simulated).toBeLessThan(SLOT);
  });
});
