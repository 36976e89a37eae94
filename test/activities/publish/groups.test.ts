import { Harness, type HarnessOptions } from '../harness';

async function withHarness(options: HarnessOptions, work: (harness: Harness) => Promise<void>): Promise<void> {
  const harness = await Harness.open(options);
  try {
    await work(harness);
  } finally {
    await harness.close();
  }
}

describe('a group of rows in one activity', () => {
  it('keeps as many creates open as it was given places, and sends each row once', async () => {
    await withHarness({ rows: 12, sandbox: { faults: ['create -> slow-answer 150'] } }, async (harness) => {
      const { rows } = await harness.createGroup({ rows: 12, places: 4 });
      expect(rows.map((row) => row.result)).toEqual(Array(12).fill('done'));
      expect(harness.sandbox.stats().mostOpenCreates).toBe(4);
      expect([...harness.accepted().values()]).toEqual(Array(12).fill(1));
    });
  });

  it('sends them in their order', async () => {
    await withHarness({ rows: 9 }, async (harness) => {
      await harness.createGroup({ rows: 9, places: 1 });
      expect(harness.sandbox.log().map(({ title }) => title)).toEqual(
        Array.from({ length: 9 }, (_, at) => `Video ${at}`),
      );
    });
  });

  it('begins no further row once the service asks for a pause; what was open has its answer recorded', async () => {
    const faults = ['create title="Video 0" -> status 429 retry-after=30', 'create -> slow-answer 150'];
    await withHarness({ rows: 12, trust429: true, sandbox: { faults } }, async (harness) => {
      const { rows } = await harness.createGroup({ rows: 12, places: 3 });
      const done = rows.filter((row) => row.result === 'done').length;
      expect(done).toBe(2);
      expect(harness.accepted().size).toBe(2);
      const states = (await harness.results()).map((record) => record.state);
      expect(states.filter((state) => state === 'planned' || state === 'waiting').length).toBe(10);
      expect(states.filter((state) => state === 'processing').length).toBe(2);
    });
  });
});
