import { readFileSync } from 'node:fs';
import { type Settings } from '../../../cli/config/settings';
import { publishQuestion, sendTimes, stayOnText } from '../../../cli/shared/stay-on';
import { type Plan, type PlanAction, type PlanChannel } from '../../../ledger/model/submission-types';

const NOW = Date.parse('2026-12-01T08:00:00Z');
const settings = (configured: boolean, sandbox = false) =>
  ({ sandbox, temporal: () => Promise.resolve({ configured }) }) as unknown as Settings;

/** Each channel: when its first and its last row are sent, and whether a row has a time of its own. */
type Sends = [first: string | null, last: string | null, timed?: boolean];

function plan(channels: Sends[], action: PlanAction = 'create', run: string | null = 'spring.1'): Plan {
  return {
    actions: {},
    problems: [],
    rows: [{ action, selected: true, run } as Plan['rows'][number]],
    kept: null,
    channels: channels.map(([firstAt, lastAt, timed = true]) => ({ rows: 2, firstAt, lastAt, timed }) as PlanChannel),
  };
}
const LATER = plan([
  [null, '2026-12-05T17:00:00.000Z'],
  ['2026-12-02T08:00:00.000Z', '2026-12-03T08:00:00.000Z'],
]);
const stay = (planned: Plan, configured = false, stopped = false, late: 'hold' | 'publish' | 'skip' = 'hold') =>
  stayOnText(sendTimes(planned, { late, now: NOW }), {
    settings: settings(configured),
    zone: 'Europe/Berlin',
    now: NOW,
    stopped,
  });

test('scheduled rows: until when the computer has to stay on, in local time, what is missed, and the service', async () => {
  const text = await stay(LATER);
  expect(text).toMatch(
    /^Next row: now, last row: Sat 5 Dec 18:00 \(Europe\/Berlin, in 4 d 9 h\)\. This computer has to stay on/,
  );
  expect(text).toMatch(/misses its time by more than 1 h is held \(late: hold\)\. `reelay up` as a service/);
  const scheduled = plan([['2026-12-02T08:00:00.000Z', '2027-01-03T08:00:00.000Z']]);
  expect(await stay(scheduled)).toContain('Next row: Wed 2 Dec 09:00, last row: Sun 3 Jan 2027 09:00');
});

test('the page on how to do this as a service is one that is on this machine', async () => {
  const [, page = ''] = /; how to: (\/.*)$/.exec((await stay(LATER)) ?? '') ?? [];
  expect(readFileSync(page, 'utf8')).toContain('systemctl --user enable --now reelay');
});

test.each([
  ['hold', 'is held (late: hold).'],
  ['publish', 'is sent all the same (late: publish).'],
  ['skip', 'is skipped (late: skip).'],
] as const)('with late: %s, what happens to a row that misses its time: it %s', async (late, expected) => {
  const text = await stay(LATER, false, false, late);
  expect(text).toContain(` A row that misses its time by more than 1 h ${expected} \`reelay up\``);
});

test('nothing is said of missed times if only the pace of a channel spreads the rows', async () => {
  const paced = plan([[null, '2026-12-05T17:00:00.000Z', false]]);
  expect(await stay(paced)).toMatch(/until then\. `reelay up` as a service/);
});

test('with a Temporal of their own, a worker has to run; once stopped, nothing is sent', async () => {
  expect(await stay(LATER, true)).toMatch(/A worker has to run until then\..*`reelay worker`/);
  expect(await stay(LATER, false, true)).toContain('Nothing is sent while this is stopped.');
});

test('the campaign’s rows that the file doesn’t have count too', async () => {
  const kept = { firstAt: '2026-12-02T17:00:00.000Z', lastAt: '2027-01-24T17:00:00.000Z', timed: true };
  const later = plan([['2026-12-21T17:00:00.000Z', '2026-12-22T17:00:00.000Z']]);
  expect(await stay({ ...later, kept })).toContain('Next row: Wed 2 Dec 18:00, last row: Sun 24 Jan 2027 18:00');
  expect(publishQuestion({ ...later, kept }, 'UTC', NOW)).toBe(
    'Publish 2 videos to 1 channel, first Mon 21 Dec 17:00, last Tue 22 Dec 17:00?',
  );
});

test('no note is shown if everything is sent at once, or nothing is sent', async () => {
  expect(await stay(plan([[null, null]]))).toBeNull();
  expect(await stay(plan([]))).toBeNull();
});

test('the question names how many videos, where to, and when', () => {
  expect(publishQuestion(LATER, 'Europe/Berlin', NOW)).toBe(
    'Publish 4 videos to 2 channels, first now, last Sat 5 Dec 18:00?',
  );
  expect(publishQuestion(plan([[null, null]]), '+01:00', NOW)).toBe('Publish 2 videos to 1 channel, all now?');
});

test.each(['continue', 'update'] as const)('rows that a trial left out are asked about: %s', (action) => {
  expect(publishQuestion(plan([[null, null]], action, null), 'UTC', NOW)).toBe(
    'Publish 2 videos to 1 channel, all now?',
  );
});

test('nothing is asked where nothing new would be sent, or the manifest is refused', () => {
  expect(publishQuestion(plan([[null, null]], 'continue'), 'UTC', NOW)).toBeNull();
  expect(publishQuestion(plan([], 'leave'), 'UTC', NOW)).toBeNull();
  const refused = { ...LATER, problems: [{ severity: 'error' } as Plan['problems'][number]] };
  expect(publishQuestion(refused, 'UTC', NOW)).toBeNull();
});
