import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type SendingLedger } from '../../ledger/interfaces/sending';
import { type KeptTimes, type Plan, type PlanAction, type PlanRow } from '../../ledger/model/submission-types';
import { type CampaignSettings, type RunRef } from '../../ledger/model/types';
import { type Settings } from '../config/settings';
import { type Output } from '../terminal/output';
import { localTime, showDuration } from '../../wording/times';
import { docPage } from './doc-page';
import { plural } from '../terminal/safe-text';

/** A run that ends this soon needs no note about the computer. */
const SOON_MS = 300_000;

/** When rows are sent, ms since the epoch; `first` is null if some are sent at once. */
interface Span {
  first: number | null;
  last: number;
}

type PlannedTimes = Pick<Plan, 'channels' | 'kept'>;

export interface SendTimes extends Span {
  /** What happens to a row that misses its time; null: no row has a time of its own. */
  late: CampaignSettings['late'] | null;
}

/**
 * For the rows that a plan would send, and the campaign's other rows; null if there are none, or if they are never
 * sent.
 */
export function sendTimes(
  plan: PlannedTimes,
  { late, now }: { late: CampaignSettings['late']; now: number },
): SendTimes | null {
  const all = plan.kept === null ? plan.channels : [...plan.channels, plan.kept];
  const span = spanOf(all, now);
  return span === null ? null : { ...span, late: all.some(({ timed }) => timed) ? late : null };
}

function spanOf(channels: readonly KeptTimes[], now: number): Span | null {
  if (channels.length === 0) return null;
  const firsts = channels.map(({ firstAt }) => (firstAt === null ? now : Date.parse(firstAt)));
  const lasts = channels.map(({ lastAt }) => (lastAt === null ? now : Date.parse(lastAt)));
  const first = Math.min(...firsts);
  const last = Math.max(...lasts);
  if (!Number.isFinite(first) || !Number.isFinite(last)) return null;
  return { first: first <= now ? null : first, last };
}

/** For the rows that a run has yet to send. */
export async function leftTimes(
  ledger: ReadingLedger & SendingLedger,
  run: RunRef,
  now: number,
): Promise<SendTimes | null> {
  const { at, late } = await ledger.lastSend(run);
  if (at === null || !Number.isFinite(at)) return null;
  const free = (await ledger.channels(run)).filter(({ held }) => held === null);
  const first = Math.min(...free.map(({ nextReadyAt }) => (nextReadyAt === null ? now : Date.parse(nextReadyAt))));
  return { first: Number.isFinite(first) && first > now ? first : null, last: at, late };
}

/** Tells a person, before the rows of a plan are sent, that something has to keep running until the last of them. */
export async function noteStayOn(
  plan: PlannedTimes,
  given: { late: CampaignSettings['late']; settings: Settings; output: Output },
): Promise<void> {
  const { late, settings, output } = given;
  const now = Date.now();
  const stay = await stayOnText(sendTimes(plan, { late, now }), { settings, zone: output.zone, now });
  if (stay !== null) output.note(stay);
}

/**
 * The note that something has to keep running until the last row, and what happens to a row that misses its time; null
 * if everything is sent soon. `stopped`: nothing is running any more.
 */
export async function stayOnText(
  times: SendTimes | null,
  given: { settings: Settings; zone: string; now: number; stopped?: boolean },
): Promise<string | null> {
  const { settings, now, zone, stopped = false } = given;
  if (times === null || times.last - now < SOON_MS) return null;
  const { configured } = await settings.temporal().catch(() => ({ configured: true }));
  const next = times.first === null ? 'now' : localTime(times.first, { zone, now });
  const last = `${localTime(times.last, { zone, now })} (${zone}, in ${showDuration(times.last - now)})`;
  const until = stopped ? 'Nothing is sent while this is stopped.' : untilLast(configured);
  const service = configured ? '`reelay worker`' : `\`reelay up${settings.sandbox ? ' --sandbox' : ''}\``;
  const missed = times.late === null ? '' : ` A row that misses its time by more than 1 h ${MISSED[times.late]}.`;
  const page = docPage('tasks/service.md');
  const how = page === null ? '.' : `; how to: ${page}`;
  return `Next row: ${next}, last row: ${last}. ${until}${missed} ${service} as a service does this without a terminal${how}`;
}

const MISSED: Readonly<Record<CampaignSettings['late'], string>> = {
  hold: 'is held (late: hold)',
  publish: 'is sent all the same (late: publish)',
  skip: 'is skipped (late: skip)',
};

function untilLast(configured: boolean): string {
  return configured
    ? 'A worker has to run until then.'
    : 'This computer has to stay on and awake, with reelay running, until then.';
}

/** It would be sent, and no submission sends it yet: rows that a trial left out belong to no run. */
function isUnasked({ action, selected, run }: PlanRow): boolean {
  return selected && (SENDS_ANEW.includes(action) || (SENDS_ON.includes(action) && run === null));
}

const SENDS_ANEW: readonly PlanAction[] = ['create', 'attempt', 'recreate'];
const SENDS_ON: readonly PlanAction[] = ['continue', 'update'];

/** The question before a real run; null if nothing new would be sent, or if it is refused anyway. */
export function publishQuestion(plan: Plan, zone: string, now: number): string | null {
  if (plan.problems.some(({ severity }) => severity === 'error')) return null;
  if (!plan.rows.some(isUnasked)) return null;
  const rows = plan.channels.reduce((sum, channel) => sum + channel.rows, 0);
  const times = spanOf(plan.channels, now);
  const at = (time: number): string => localTime(time, { zone, now });
  const when =
    times === null
      ? ''
      : times.last <= now
        ? ', all now'
        : `, first ${times.first === null ? 'now' : at(times.first)}, last ${at(times.last)}`;
  return `Publish ${plural(rows, 'video')} to ${plural(plan.channels.length, 'channel')}${when}?`;
}
