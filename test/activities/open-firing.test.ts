import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ScheduleDefinition } from '../../activities/schedules/contract';
import { openFiring } from '../../activities/schedules/open-firing';
import { NO_SCHEDULES, type ScheduleServer } from '../../activities/schedules/schedule-server';
import { untilSettled } from '../../activities/schedules/settled-manifest';
import { Harness } from './harness';

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
};

function open(schedules: Partial<ScheduleServer>, workflowId: string) {
  const deps = { ...harness.deps, now: () => AT + 1_000, schedules: { ...NO_SCHEDULES, ...schedules } };
  return openFiring(deps, { definition, nominalAt: new Date(AT).toISOString(), workflowId });
}

const THERE: Partial<ScheduleServer> = {
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

it('a manifest that somebody is writing is read when it is whole', async () => {
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
