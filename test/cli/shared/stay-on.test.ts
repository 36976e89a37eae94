import { type Settings } from '../../../cli/config/settings';
import { publishQuestion, sendTimes, stayOnText } from '../../../cli/shared/stay-on';
import { type Plan, type PlanAction, type PlanChannel } from '../../../ledger/model/submission-types';

const NOW = Date.parse('2026-12-01T08:00:00Z');
const settings = (configured: boolean, sandbox = false) =>
  ({ sandbox, temporal: () => Promise.resolve({ configured }) }) as unknown as Settings;

function plan(channels: [string | null, string | null][], action: PlanAction = 'create'): Plan {
  return {
    actions: {},
    problems: [],
    rows: [{ action, selected: true } as Plan['rows'][number]],
    channels: channels.map(([firstAt, lastAt]) => ({ rows: 2, firstAt, lastAt }) as PlanChannel),
  };
}
const LATER = plan([
  [null, '2026-12-05T17:00:00.000Z'],
  ['2026-12-02T08:00:00.000Z', '2026-12-03T08:00:00.000Z'],
]);
const stay = (times: ReturnType<typeof sendTimes>, configured = false, stopped = false) =>
  stayOnText(times, { settings: settings(configured), zone: 'Europe/Berlin', now: NOW, stopped });

test('scheduled rows: until when the computer has to stay on, in local time, what is missed, and the service', async () => {
  const text = await stay(sendTimes(LATER, NOW));
  expect(text).toMatch(
    /^Next row: now, last row: Sat 5 Dec 18:00 \(Europe\/Berlin, in 4 d 9 h\)\. This computer has to stay on/,
  );
  expect(text).toMatch(/missed by more than 1 h is held.*`reelay up` as a service/);
  const scheduled = sendTimes(plan([['2026-12-02T08:00:00.000Z', '2027-01-03T08:00:00.000Z']]), NOW);
  expect(await stay(scheduled)).toContain('Next row: Wed 2 Dec 09:00, last row: Sun 3 Jan 2027 09:00');
});

test('with a Temporal of their own, a worker has to run; once stopped, nothing is sent', async () => {
  expect(await stay(sendTimes(LATER, NOW), true)).toMatch(/A worker has to run until then\..*`reelay worker`/);
  expect(await stay(sendTimes(LATER, NOW), false, true)).toContain('Nothing is sent while this is stopped.');
});

test('no note is shown if everything is sent at once, or nothing is sent', async () => {
  expect(await stay(sendTimes(plan([[null, null]]), NOW))).toBeNull();
  expect(await stay(sendTimes(plan([]), NOW))).toBeNull();
});

test('the question names how many videos, where to, and when', () => {
  expect(publishQuestion(LATER, 'Europe/Berlin', NOW)).toBe(
    'Publish 4 videos to 2 channels, first now, last Sat 5 Dec 18:00?',
  );
  expect(publishQuestion(plan([[null, null]]), '+01:00', NOW)).toBe('Publish 2 videos to 1 channel, all now?');
});

test('nothing is asked where nothing new would be sent, or the manifest is refused', () => {
  expect(publishQuestion(plan([[null, null]], 'continue'), 'UTC', NOW)).toBeNull();
  expect(publishQuestion(plan([], 'leave'), 'UTC', NOW)).toBeNull();
  const refused = { ...LATER, problems: [{ severity: 'error' } as Plan['problems'][number]] };
  expect(publishQuestion(refused, 'UTC', NOW)).toBeNull();
});
