import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ScheduleDefinition } from '../../../activities/schedules/contract';
import { openFiring } from '../../../activities/schedules/open-firing';
import { NO_SCHEDULES, type ScheduleServer } from '../../../activities/schedules/schedule-server';
import { untilSettled } from '../../../activities/schedules/settled-manifest';
import { Harness } from '../harness';

const AT = Date.parse('2026-11-28T09:00:00Z');

let harness: Harness;
beforeEach(async () => (harness = await Harness.open({ rows: 1 })));
afterEach(() => harness.close());

const definition: ScheduleDefinition = {
  schedule: 'daily',
  manifest: { kind: 'path', path: '/nowhere/daily.csv' },
  read: { platforms: [] },
  account: 'main',
  zone: 'UTC',
  keyed: 'date',
  take: null,
  vanished: null,
  overlap: 'skip',
  lateMs: 3_600_000,
  pauseAfter: 3,
  since: new Date(AT - 1_000).toISOString(),
  born: new Date(AT - 1_000).toISOString(),
};

function open(
  schedules: Partial<ScheduleServer>,
  workflowId: string,
  nominalAt = AT,
  now = AT + 1_000,
  scheduledAt = nominalAt,
) {
  const deps = { ...harness.deps, now: () => now, schedules: { ...NO_SCHEDULES, ...schedules } };
  return openFiring(deps, { definition, nominalAt: new Date(nominalAt).toISOString(), workflowId, scheduledAt });
}

const THERE: Partial<ScheduleServer> = {
  definition: () => Promise.resolve(definition),
  matchingTimes: () => Promise.resolve([AT]),
  calendars: () => Promise.resolve([]),
};

it('a firing that had not begun when its schedule was deleted doesn’t begin any more, and leaves its day free', async () => {
  const { firings } = harness.ledger;
  await firings.keep('daily', 'us');
  // Deleted in Temporal alone, then by `schedule delete`.
  expect(await open({}, 'w1')).toMatchObject({ due: false, outcome: 'skipped' });
  await firings.mark('daily', { deletedAt: AT });
  expect((await open(THERE, 'w1')).reason).toContain('was deleted before');
  expect(await firings.list('daily')).toEqual([]);
  await firings.keep('daily', 'us');
  await firings.mark('daily', { watchedTo: AT - 1_000 });
  expect(await open(THERE, 'w2')).toMatchObject({ due: true, key: '2026-11-28' });
});

it('a firing happens also where the worker’s clock is behind the server’s', async () => {
  const { firings } = harness.ledger;
  await firings.keep('daily', 'us');
  await firings.mark('daily', { watchedTo: AT - 1_000 });
  const matchingTimes = (_: string, from: number, to: number) => Promise.resolve(from < AT && AT <= to ? [AT] : []);
  expect(await open({ ...THERE, matchingTimes }, 'w1', AT, AT - 300)).toMatchObject({ due: true, key: '2026-11-28' });
});

describe('a worker’s clock that is wrong', () => {
  const DAY = 86_400_000;
  const HOUR = 3_600_000;
  const days = (_: string, from: number, to: number) =>
    Promise.resolve([-2, -1, 0, 1, 2, 3].map((day) => AT + day * DAY).filter((at) => from < at && at <= to));
  /** Fired by the server at its time; the worker's clock shows `ahead` more. */
  const fire = (day: number, ahead: number, late = 0) => {
    const nominalAt = AT + day * DAY;
    const current = { ...definition, nextAt: nominalAt + DAY };
    const schedules = { ...THERE, definition: () => Promise.resolve(current), matchingTimes: days };
    const at = nominalAt + late + 1_000;
    return open(schedules, `w${day}`, nominalAt, at + ahead, at);
  };
  beforeEach(async () => {
    await harness.ledger.firings.keep('daily', 'us');
    await harness.ledger.firings.mark('daily', { watchedTo: AT - 1_000 });
  });

  it.each([2.5 * DAY, 26 * HOUR, -5 * HOUR, -3 * DAY])('by %d ms, leaves each day its own firing', async (ahead) => {
    for (const [day, key] of ['2026-11-28', '2026-11-29', '2026-11-30'].entries()) {
      const opened = await fire(day, ahead);
      expect(opened).toMatchObject({ due: true, key });
      await harness.ledger.firings.end(opened.firing ?? 0, { outcome: 'done', code: 'run-done', reason: '' });
    }
    const { firings } = harness.ledger;
    expect((await firings.list('daily')).map(({ key, outcome }) => [key, outcome])).toEqual([
      ['2026-11-30', 'done'],
      ['2026-11-29', 'done'],
      ['2026-11-28', 'done'],
    ]);
  });

  it('that is behind doesn’t hide that a firing is too late', async () => {
    expect(await fire(0, -5 * HOUR, 2 * HOUR)).toMatchObject({ due: false, outcome: 'missed' });
  });
});

it('a firing that a frozen attempt claims while a later attempt finds it replaced is worked by the later one', async () => {
  const { firings } = harness.ledger;
  await firings.keep('daily', 'us');
  await firings.mark('daily', { watchedTo: AT - 1_000 });
  let wakeUp: () => void = () => undefined;
  const frozen = new Promise<void>((resolve) => (wakeUp = resolve));
  // Each asks for this one's time, then for all that are due.
  const asked = (due: () => Promise<number[]>) => {
    let calls = 0;
    return { ...THERE, matchingTimes: async () => (++calls === 1 ? [AT] : due()) };
  };
  const first = open(
    asked(async () => {
      await frozen;
      return [AT];
    }),
    'w1',
  );
  const second = open(
    asked(async () => {
      wakeUp();
      expect(await first).toMatchObject({ due: true });
      return [];
    }),
    'w1',
  );
  expect(await second).toMatchObject({ due: true, firing: (await first).firing });
  expect((await firings.list('daily')).map(({ outcome }) => outcome)).toEqual(['open']);
});

it('a frozen attempt that wakes up changes nothing of the firing that a later attempt has claimed', async () => {
  const { firings } = harness.ledger;
  await firings.keep('daily', 'us');
  await firings.mark('daily', { watchedTo: AT - 1_000 });
  const claimed = await open(THERE, 'w1');
  expect(claimed).toMatchObject({ due: true });
  // It asks for an older time, and later than its own was watched.
  const older = { schedule: 'daily', key: 'older', nominalAt: AT - 60_000, workflowId: 'w1', again: false };
  expect((await firings.open(older)).firing.id).toBe(claimed.firing);
  expect((await firings.list('daily')).map(({ key, outcome }) => [key, outcome])).toEqual([['2026-11-28', 'open']]);
});

it('a firing that had not begun when its schedule was deleted and made again is listed as skipped, and publishes nothing', async () => {
  const { firings } = harness.ledger;
  await firings.keep('daily', 'us');
  const later = new Date(AT + 500).toISOString();
  const again = { ...THERE, definition: () => Promise.resolve({ since: later, born: later }) };
  // Also a manually triggered one, and one whose time the new schedule has too.
  for (const [workflowId, nominalAt] of [
    ['w1', AT],
    ['w2', AT - 5_000],
  ] as const) {
    const opened = await open(again, workflowId, nominalAt);
    expect([opened.due, opened.outcome, opened.reason]).toEqual([
      false,
      'skipped',
      expect.stringContaining('created again'),
    ]);
  }
  expect((await firings.list('daily')).map(({ outcome, code }) => `${outcome} ${code ?? ''}`)).toEqual([
    'skipped made-again',
    'skipped made-again',
  ]);
  await firings.mark('daily', { watchedTo: AT - 1_000 });
  // The day is still the new schedule's own.
  expect(await open(THERE, 'w3')).toMatchObject({ due: true, key: '2026-11-28' });
});

it('a firing that waited while its schedule was given other times is that day’s, once, and not for longer than it may be late', async () => {
  const { firings } = harness.ledger;
  await firings.keep('daily', 'us');
  await firings.mark('daily', { watchedTo: AT - 1_000 });
  const { born = '' } = definition;
  const moved = {
    ...THERE,
    definition: () => Promise.resolve({ since: new Date(AT + 500).toISOString(), born }),
    matchingTimes: () => Promise.resolve([]),
  };
  expect(await open(moved, 'w0', AT - 86_400_000)).toMatchObject({ due: false, outcome: 'missed' });
  expect(await open(moved, 'w1')).toMatchObject({ due: true, key: '2026-11-28' });
  expect(await open(moved, 'w2', AT - 60_000)).toMatchObject({ due: false, outcome: 'missed' });
  expect(await open(moved, 'w1')).toMatchObject({ due: true, key: '2026-11-28' });
  // Without a change it was triggered manually.
  const same = { ...moved, definition: THERE.definition };
  expect((await open(same as Partial<ScheduleServer>, 'w3', AT + 700)).key).toMatch(/^manual /);
});

it('a manifest that is being written is read when it is complete', async () => {
  const path = join(harness.folder, 'growing.csv');
  writeFileSync(path, 'title\n');
  let lines = 0;
  const writing = setInterval(() => {
    appendFileSync(path, 'one more\n');
    lines += 1;
    if (lines === 5) clearInterval(writing);
  }, 200);
  await untilSettled(path);
  expect(lines).toBe(5);
  await untilSettled(join(harness.folder, 'not-there.csv'));
});

it('so is one on a disk whose clock is ahead of the worker’s', async () => {
  const path = join(harness.folder, 'ahead.csv');
  const ahead = () => Date.now() / 1_000 + 300;
  writeFileSync(path, 'title\n');
  utimesSync(path, ahead(), ahead());
  let lines = 0;
  const writing = setInterval(() => {
    appendFileSync(path, 'one more\n');
    utimesSync(path, ahead(), ahead());
    lines += 1;
    if (lines === 5) clearInterval(writing);
  }, 200);
  await untilSettled(path);
  expect(lines).toBe(5);
});
