import { Harness } from '../../harness';

describe('a failed row that is retried', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  /** One row whose publication showed `failed`, planned again. */
  async function failedOnce(fault: string): Promise<void> {
    harness = await Harness.open({ rows: 1, sandbox: { faults: [fault] } });
    await harness.create();
    await harness.finish();
    expect((await harness.results())[0]).toMatchObject({ state: 'failed' });
    harness.sandbox.rules.clear();
    const { run } = await harness.ledger.retry({ run: harness.run, by: 'ana' });
    expect(run).toEqual(harness.run);
  }

  it('is created anew when its publication still shows failed', async () => {
    await failedOnce('create nth=1 -> outcome failed');
    await harness.create();
    await harness.finish();
    expect((await harness.results())[0]).toMatchObject({ state: 'published', attempts: 2 });
    expect(harness.sandbox.log()).toHaveLength(2);
  });

  it('is not created when its publication turns out to be published by now', async () => {
    await failedOnce('get -> show-status failed');
    await harness.create();
    await harness.finish();
    expect((await harness.results())[0]).toMatchObject({ state: 'published', attempts: 1 });
    expect(harness.sandbox.log()).toHaveLength(1);
  });

  it('is not created while its publication can’t be read', async () => {
    await failedOnce('get -> show-status failed');
    const rule = harness.sandbox.rules.add('get -> status 503');
    const creating = harness.create();
    const reads = () => harness.sandbox.stats().requests.get;
    const before = reads();
    while (reads() < before + 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await harness.results())[0]).toMatchObject({ state: 'planned', attempts: 1 });
    harness.sandbox.rules.clear(rule);
    await creating;
    await harness.finish();
    expect((await harness.results())[0]?.state).toBe('published');
    expect(harness.sandbox.log()).toHaveLength(1);
  });
});
