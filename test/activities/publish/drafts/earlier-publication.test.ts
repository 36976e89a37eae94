import { importManifest } from '../../../../activities/run/run-activities';
import { type RowValues } from '../../../../ledger/model/types';
import { Harness, manifestOf } from '../../harness';

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

describe('a draft that is to be replaced', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  const values = (index: number, status: 'draft' | 'published'): Partial<RowValues> => ({
    status: index === 0 ? status : 'published',
    platform: 'platform_b',
    platformKind: 'long',
    title: `Episode ${index + 1}`,
  });

  /** A draft, and publications that were created after it; then the draft's row is to be published. */
  async function open(rows = 3): Promise<string> {
    harness = await Harness.open({
      rows,
      values: (index) => values(index, 'draft'),
      sandbox: { open: { echoTitle: true } },
    });
    await harness.createFirst();
    await harness.create();
    await harness.finish();
    const id = (await harness.results())[0]?.publication_id ?? '';
    await harness.ledger.finishRun(harness.run);
    const again = manifestOf({ rows, values: (index) => values(index, 'published') }, 'again');
    const { run } = await harness.ledger.submit({ ...again, recreate: true });
    await harness.ledger.beginRun({ campaign: run.campaign, workflowId: 'campaign/trial', workflowRunId: 'r2' });
    harness.run = run;
    await importManifest(harness.deps, { run }, { heartbeat: () => undefined });
    return id;
  }

  const row = async () => (await harness.results())[0];
  const created = () => harness.sandbox.log().filter(({ title }) => title === 'Episode 1').length;

  it('is left to a person when a read doesn’t find it: it may exist, and have been published', async () => {
    const id = await open();
    harness.sandbox.rules.add('get -> status 404');
    await harness.create();
    expect(created()).toBe(1);
    expect(await row()).toMatchObject({ state: 'unconfirmed', code: 'draft-unproven', candidates: [id] });
  });

  it('is the row’s publication if the person says that it was published', async () => {
    const id = await open();
    const rule = harness.sandbox.rules.add('get -> status 404');
    await harness.create();
    harness.sandbox.rules.clear(rule);
    await harness.sandbox.settle(id, { outcome: 'published' });
    const decision = { kind: 'published', publicationId: id } as const;
    await harness.ledger.resolve({ run: harness.run, key: 'k0', decision, by: 'ana' });
    await harness.finish();
    expect(await row()).toMatchObject({ state: 'published', publication_id: id });
    expect(created()).toBe(1);
  });

  it('is replaced if the person says that it is gone', async () => {
    await open();
    harness.sandbox.rules.add('get -> status 404');
    await harness.create();
    harness.sandbox.rules.clear();
    await harness.service.deletePublication((await row())?.candidates[0] ?? '');
    await harness.ledger.resolve({ run: harness.run, key: 'k0', decision: { kind: 'not-published' }, by: 'ana' });
    await harness.create();
    await harness.finish();
    expect(created()).toBe(2);
    expect((await row())?.state).toBe('published');
  });

  it('is replaced if it is proven to be deleted: it was seen, and the list shows a newer one without it', async () => {
    const id = await open();
    const even = { now: Date.now(), of: (notedAt: number) => notedAt };
    const ids = harness.sandbox.publications().map((one) => one.id);
    await harness.ledger.noteSeen('main', ids, Date.now(), undefined, even);
    await harness.service.deletePublication(id);
    await harness.create();
    await harness.finish();
    expect(created()).toBe(2);
    expect((await row())?.state).toBe('published');
  });

  it('is left to a person where it is gone and the list shows none that was created after it', async () => {
    const id = await open(1);
    await harness.service.deletePublication(id);
    await harness.create();
    expect(created()).toBe(1);
    expect(await row()).toMatchObject({ state: 'unconfirmed', code: 'draft-unproven', candidates: [id] });
  });

  it('is not replaced if a read shows it as a draft and the service refuses to keep it one', async () => {
    const id = await open();
    await harness.sandbox.settle(id, { outcome: 'published' });
    harness.sandbox.rules.add('get -> show-status draft');
    await harness.create();
    expect(created()).toBe(1);
    expect(await row()).toMatchObject({ state: 'unconfirmed', code: 'draft-unproven', candidates: [id] });
  });
});
