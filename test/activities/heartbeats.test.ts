import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/create-activities';
import { Spool } from '../../activities/publish/spool/spool';

/** Whatever is asked of it never answers: an activity with it works as long as the test lasts. */
const never: object = new Proxy(() => undefined, {
  get: (_, name) => (name === 'then' ? undefined : never),
  apply: () => new Promise(() => undefined),
});

function activities(): Record<string, (input: object) => Promise<unknown>> {
  const given = { ledger: never, accounts: never, worker: never, timings: never, log: never, clock: never };
  const deps = { ...given, now: () => 0, stopping: new AbortController().signal, processState: () => 'unknown' };
  return createActivities(deps as never, {
    spool: new Spool('/nowhere'),
    accountConcurrency: 1,
    wakeChannels: () => new Promise(() => undefined),
    schedules: never as never,
  }) as never;
}

const INPUT = {
  run: { campaign: 'spring', number: 1 },
  notice: { id: 'spring.1-ended', subject: { kind: 'ended', run: { campaign: 'spring', number: 1 } } },
  definition: { key: 'weekly', name: 'weekly', manifest: { kind: 'file', path: '/nowhere.csv' } },
  rowIds: [1],
  workflowIds: ['campaign/spring'],
  nominalAt: '2026-11-29T12:00:00.000Z',
};

/** Intervals pass this many times faster. */
const FASTER = 100;

beforeEach(() => {
  const everyMs = setInterval;
  jest.spyOn(global, 'setInterval').mockImplementation(((work: () => void, ms: number) => {
    // The shortest time after which an activity is taken for lost is 15 s.
    expect(ms).toBeLessThanOrEqual(5_000);
    return everyMs(work, ms / FASTER);
  }) as never);
});
afterEach(() => {
  jest.restoreAllMocks();
});

test.each(Object.keys(activities()))('%s says that it lives as long as it works', async (name) => {
  const env = new MockActivityEnvironment();
  const beaten = new Promise<string>((resolve) => {
    let beats = 0;
    env.on('heartbeat', () => {
      beats += 1;
      if (beats === 4) resolve('heartbeats');
    });
  });
  const ended = env.run(activities()[name]!, INPUT).then(
    (value: unknown) => ({ value }),
    (error: unknown) => ({ error }),
  );
  expect(await Promise.race([beaten, ended])).toBe('heartbeats');
});
