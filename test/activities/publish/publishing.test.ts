import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultProfiles } from '../../../sandbox/profiles';
import { Harness, type HarnessOptions } from '../harness';

const ECHO = { echoTitle: true, echoProfile: true, echoCreatedAt: true };

/** Creates and follows everything; returns what a user and the service's log see. */
async function publish(options: HarnessOptions, before?: (harness: Harness) => void | Promise<void>) {
  const harness = await Harness.open(options);
  try {
    await before?.(harness);
    await harness.create();
    await harness.finish();
    const results = await harness.results();
    const accepted = harness.accepted();
    return {
      results,
      states: results.map((record) => record.state),
      codes: results.map((record) => record.code),
      twice: [...accepted].filter(([, times]) => times > 1),
      accepted: [...accepted.values()].reduce((sum, times) => sum + times, 0),
    };
  } finally {
    await harness.close();
  }
}

describe('publishing rows', () => {
  it('publishes each row once and records what the service says', async () => {
    const { results, states, accepted } = await publish({ rows: 12 });
    expect(states).toEqual(Array(12).fill('published'));
    expect(accepted).toBe(12);
    for (const record of results) {
      expect(record.publication_id).not.toBeNull();
      expect(record.video_url).toMatch(/^https?:/u);
      expect(record.published_at).not.toBeNull();
    }
  });

  it('keeps the reason of a failed row as far as the service gives one', async () => {
    const silent = await publish({ rows: 2, sandbox: { faults: ['create title="Video 1" -> outcome failed'] } });
    expect(silent.states).toEqual(['published', 'failed']);
    expect(silent.results[1]?.message).toContain('no reason');
    const telling = await publish({
      rows: 2,
      sandbox: { faults: ['create title="Video 1" -> outcome failed'], open: { failureField: 'failure_reason' } },
    });
    expect(telling.results[1]?.message).not.toContain('no reason');
  });

  it('ends a draft as drafted', async () => {
    const { states } = await publish({ rows: 1, values: () => ({ status: 'draft' }) });
    expect(states).toEqual(['drafted']);
  });

  it('uploads a direct publish to its profile, and ends it as submitted with the acknowledged id', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reelay-direct-'));
    const source = join(folder, 'clip.mp4');
    await copyFile(join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4'), source);
    try {
      const [profile] = defaultProfiles(1, { short: 'platform_a', long: 'platform_b', photo: 'platform_c' });
      const { results, accepted } = await publish({
        rows: 1,
        values: () => ({ via: 'direct', source, sourceKind: 'file', profileId: profile!.id }),
      });
      expect(results[0]).toMatchObject({ state: 'submitted', publication_id: null });
      expect(results[0]?.publish_id).toEqual(expect.stringMatching(/./));
      expect(results[0]?.message).toMatch(/no outcome can be read/);
      expect(accepted).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('rejects a row that the service refuses, and sends the others', async () => {
    const { states, results, accepted } = await publish({
      rows: 3,
      sandbox: { faults: ['create title="Video 1" -> status 422'] },
    });
    expect(states).toEqual(['published', 'rejected', 'published']);
    expect(results[1]?.code).toBe('http-422');
    expect(accepted).toBe(2);
  });
});

describe('what to do when the answer to a create was lost', () => {
  const lost = [
    'lost',
    'cut-answer',
    'status 500 accept',
    'status 502 accept',
    'status 429 accept',
    'garbage html',
    'hang accept',
  ];

  it.each(lost)('is adopted when the service shows the title: %s', async (fault) => {
    const { states, twice, accepted } = await publish({
      rows: 3,
      sandbox: { open: ECHO, faults: [`create title="Video 1" times=1 -> ${fault}`] },
    });
    expect(twice).toEqual([]);
    expect(accepted).toBe(3);
    expect(states).toEqual(['published', 'published', 'published']);
  });

  it.each(lost)('is left to a person when nothing is shown: %s', async (fault) => {
    const { states, twice, results } = await publish({
      rows: 3,
      sandbox: { faults: [`create title="Video 1" times=1 -> ${fault}`] },
    });
    expect(twice).toEqual([]);
    expect(states).toEqual(['published', 'unconfirmed', 'published']);
    expect(results[1]?.candidates).toHaveLength(1);
  });

  it('is adopted without echo on an exclusive account, when it is the only one', async () => {
    const { states, twice } = await publish({
      rows: 3,
      exclusive: true,
      sandbox: { faults: ['create title="Video 1" times=1 -> lost'] },
    });
    expect(twice).toEqual([]);
    expect(states).toEqual(['published', 'published', 'published']);
  });

  it.each(['status 500', 'status 429', 'status 503', 'hang', 'cut-body'])(
    'is repeated once its absence is certain: %s',
    async (fault) => {
      const { states, twice, accepted } = await publish({
        rows: 3,
        sandbox: { open: ECHO, faults: [`create title="Video 1" times=1 -> ${fault}`] },
      });
      expect(twice).toEqual([]);
      expect(accepted).toBe(3);
      expect(states).toEqual(['published', 'published', 'published']);
    },
  );

  it('is never repeated when the list never showed an own create', async () => {
    const { states, codes, accepted } = await publish({
      rows: 1,
      sandbox: { open: ECHO, faults: ['create -> status 500'] },
    });
    expect(states).toEqual(['unconfirmed']);
    expect(codes).toEqual(['list-unproven']);
    expect(accepted).toBe(0);
  });

  it('is never repeated under `ambiguous: hold`', async () => {
    const { states, accepted } = await publish({
      rows: 3,
      ambiguous: 'hold',
      sandbox: { open: ECHO, faults: ['create title="Video 1" times=1 -> status 500'] },
    });
    expect(states).toEqual(['published', 'unconfirmed', 'published']);
    expect(accepted).toBe(2);
  });

  it('is not confused with what another client publishes', async () => {
    const { states, twice } = await publish({
      rows: 6,
      sandbox: { open: ECHO, foreign: { everyMs: 40 }, faults: ['create every=2 -> lost'] },
    });
    expect(twice).toEqual([]);
    expect(states).toEqual(Array(6).fill('published'));
  });

  it('is among the candidates, however much was published after it', async () => {
    const harness = await Harness.open({ rows: 3, sandbox: { faults: ['create title="Video 1" times=1 -> lost'] } });
    try {
      await harness.create();
      const lost = harness.sandbox.publications().find(({ title }) => title === 'Video 1');
      for (let other = 0; other < 60; other += 1) {
        await harness.service.createPublication({
          platform: lost?.platform ?? '',
          source: { kind: 'url', url: `https://videos.example/other-${other}.mp4` },
          status: 'published',
        });
      }
      await harness.finish();
      const [, row] = await harness.results();
      expect(row?.state).toBe('unconfirmed');
      expect(row?.candidates).toHaveLength(50);
      expect(row?.candidates).toContain(lost?.id);
    } finally {
      await harness.close();
    }
  });

  it('is not repeated while the service may still accept it', async () => {
    const { states, twice, accepted } = await publish({
      rows: 3,
      sandbox: { open: ECHO, faults: ['create title="Video 1" times=1 -> accept-late 350'] },
    });
    expect(twice).toEqual([]);
    expect(accepted).toBe(3);
    expect(states).toEqual(['published', 'published', 'published']);
  });
});

describe('reading outcomes', () => {
  it('outlasts bad answers, unknown statuses and an early 404', async () => {
    for (const fault of [
      'status 503',
      'status 404',
      'garbage html',
      'show-status queued',
      'show-status PUBLISHED',
      'cut-answer',
      'status 401',
    ]) {
      const { states, accepted } = await publish({
        rows: 2,
        sandbox: { faults: [`get per=item times=2 -> ${fault}`] },
      });
      expect([fault, ...states]).toEqual([fault, 'published', 'published']);
      expect(accepted).toBe(2);
    }
  });

  it('ends a publication that never ends as overdue, with its id', async () => {
    const { states, results } = await publish({
      rows: 1,
      giveUpAfterMs: 400,
      sandbox: { processing: { minMs: 60_000, maxMs: 60_000 } },
    });
    expect(states).toEqual(['overdue']);
    expect(results[0]?.publication_id).not.toBeNull();
  });
});

describe('a worker that falls silent with a create claimed', () => {
  it('holds up no other row; its rows go to a person, and nothing is sent for them', async () => {
    const harness = await Harness.open({ rows: 3 });
    try {
      const silent = { ...harness.deps.worker, id: 'silent' };
      await harness.ledger.registerWorker(silent);
      const [channel] = await harness.ledger.channels(harness.run);
      const [row] = await harness.ledger.takePage({
        run: harness.run,
        channelId: channel?.id ?? '',
        limit: 1,
        now: Date.now(),
      });
      await harness.ledger.claim({ rowId: row?.id ?? 0, run: harness.run, worker: silent.id, now: Date.now() });
      await harness.create();
      await harness.finish();
      const results = await harness.results();
      expect(results.map((record) => record.state)).toEqual(['unconfirmed', 'published', 'published']);
      expect(results[0]?.code).toBe('worker-silent');
      expect([...harness.accepted().keys()].sort()).toEqual(['Video 1', 'Video 2']);
    } finally {
      await harness.close();
    }
  });
});

describe('a ledger that can’t be read right before a create leaves', () => {
  it('sends nothing, and the row goes back to be created', async () => {
    const { states, accepted } = await publish({ rows: 2 }, (harness) => {
      const { ledger } = harness.deps;
      let failures = 2;
      harness.deps.ledger = {
        ...ledger,
        maySend: async (...args) => {
          failures -= 1;
          if (failures >= 0) throw new Error('disk I/O error');
          return ledger.maySend(...args);
        },
      };
    });
    expect(states).toEqual(['published', 'published']);
    expect(accepted).toBe(2);
  });
});

describe('a refused key', () => {
  it('parks the account; rows stay planned and nothing is burnt', async () => {
    const harness = await Harness.open({ rows: 5, sandbox: { faults: ['create -> status 401'] } });
    try {
      await harness.create();
      expect((await harness.results()).map((record) => record.state)).toEqual(Array(5).fill('planned'));
      expect((await harness.ledger.gates(harness.run)).map((gate) => gate.kind)).toEqual(['parked']);
      expect(harness.sandbox.log()).toEqual([]);
    } finally {
      await harness.close();
    }
  });
});
