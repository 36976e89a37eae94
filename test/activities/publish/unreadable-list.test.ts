import { createPublications } from '../../../activities/publish/create-publications';
import { RollbackWitness } from '../../../activities/reconcile/rollback-witness';
import { probeParked } from '../../../activities/run/probe-parked';
import { Harness, type HarnessOptions } from '../harness';

const DEAD_LIST = 'list -> status 500';

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 200_000;
  while (!(await condition())) {
    if (Date.now() > until) throw new Error('it does not come to that');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('an account whose list can’t be read', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  async function open(options: HarnessOptions, faults: readonly string[]): Promise<void> {
    harness = await Harness.open({
      rows: 3,
      timings: { settleMs: 100, reconcileForMs: 400, throttledMs: 20 },
      ...options,
      sandbox: { open: { echoTitle: true }, faults: [...faults], ...options.sandbox },
    });
  }

  /** One try of every row that may be sent, as a channel makes it; gives the codes. */
  async function tryAll(witness = harness.deps.witness): Promise<(string | undefined)[]> {
    const codes: (string | undefined)[] = [];
    for (const { id: channelId } of await harness.ledger.channels(harness.run)) {
      const page = await harness.ledger.takePage({ run: harness.run, channelId, limit: 8, now: Date.now() });
      const { rows } = await createPublications(
        { ...harness.deps, witness },
        { run: harness.run, channelId, rowIds: page.map((row) => row.id) },
        {
          cancelled: new AbortController().signal,
          shuttingDown: () => false,
          heartbeat: () => undefined,
          pause: async () => undefined,
        },
      );
      codes.push(...rows.map((row) => row.code));
    }
    return codes;
  }

  it('gets its rows after a while, and a lost answer ends as unconfirmed', async () => {
    await open({}, [DEAD_LIST, 'create times=1 -> lost']);
    expect(await tryAll()).toContain('unreachable');
    expect(harness.accepted().size).toBe(0);
    await waitFor(async () => {
      await tryAll();
      return harness.accepted().size === 3;
    });
    await harness.finish();
    const ended = await harness.results();
    expect(ended.map(({ state, code }) => [state, code]).sort()).toEqual([
      ['published', null],
      ['published', null],
      ['unconfirmed', 'no-full-scan'],
    ]);
    expect([...harness.accepted().values()]).toEqual([1, 1, 1]);
  });

  it('gets nothing while nothing else of the service can be read either', async () => {
    await open({}, [DEAD_LIST, 'profiles -> status 500']);
    const until = Date.now() + 800;
    while (Date.now() < until) expect(await tryAll()).toContain('unreachable');
    expect(harness.accepted().size).toBe(0);
  });

  it('adopts nothing that may have been there before its rows were sent', async () => {
    await open({ rows: 1 }, [DEAD_LIST]);
    const [row] = await harness.results();
    await harness.service.createPublication({
      platform: 'platform_a',
      source: { kind: 'url', url: 'https://videos.example/by-hand.mp4' },
      status: 'published',
      title: row?.title ?? '',
    });
    harness.sandbox.rules.add('create times=1 -> status 500');
    await waitFor(async () => {
      await tryAll();
      return (await harness.results())[0]?.state === 'creating';
    });
    harness.sandbox.rules.clear();
    await harness.finish();
    const [ended] = await harness.results();
    expect(ended).toMatchObject({ state: 'unconfirmed', candidates: [expect.any(String)] });
    expect(harness.accepted().size).toBe(1);
  });

  it('gets its rows when a person resumes it meanwhile, in every process that was waiting', async () => {
    await open({}, []);
    await harness.createGroup({ rows: 1, places: 1 });
    harness.sandbox.rules.add(DEAD_LIST);
    const restarted = new RollbackWitness({ ledger: harness.ledger, log: harness.deps.log });
    const isParked = async () => (await harness.ledger.gates(harness.run)).some(({ kind }) => kind === 'parked');
    await waitFor(async () => (await tryAll(restarted)).includes('parked'));
    await harness.ledger.resume({ run: harness.run, by: 'ana@desk' });
    await tryAll(restarted);
    await tryAll(new RollbackWitness({ ledger: harness.ledger, log: harness.deps.log }));
    expect(await isParked()).toBe(false);
    expect(harness.accepted().size).toBe(3);
  });

  it('is parked with its reason where rows were sent before, until the list can be read', async () => {
    await open({}, []);
    await harness.createGroup({ rows: 1, places: 1 });
    const dead = harness.sandbox.rules.add(DEAD_LIST);
    const restarted = new RollbackWitness({ ledger: harness.ledger, log: harness.deps.log });
    await waitFor(async () => (await tryAll(restarted)).includes('parked'));
    expect(await harness.ledger.gates(harness.run)).toMatchObject([
      { kind: 'parked', reason: expect.stringContaining('its list can’t be read') },
    ]);
    expect(harness.accepted().size).toBe(1);
    harness.sandbox.rules.clear(dead);
    await waitFor(async () => (await probeParked(harness.deps, harness.run, new AbortController().signal)).length > 0);
    await tryAll(restarted);
    expect(harness.accepted().size).toBe(3);
  });
});
