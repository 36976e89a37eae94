import { LATE_AFTER_MS } from '../model/converge';
import { type KeptTimes, type MissedTime, type PlanChannel } from '../model/submission-types';
import { problem, type SubmissionProblem } from '../model/errors';
import { readChannelNames } from '../rows/channel-names';
import { channelLabel } from '../model/labels';
import { type Slot } from '../pace/pace';
import { slotsOfAccount, type PacedWork } from '../channels/account-slots';
import { layersOf, paceFrom } from '../channels/pacing';
import { isOfAccount } from '../pace/pace-rules';
import { type Db, iso } from '../engine/store';
import { type CampaignSettings, type Entry } from '../model/types';

/** This many rows of one channel at the same moment look like a mistake to a platform. */
export const BURST_ROWS = 20;
/** Rows listed in one warning. */
const SHOWN = 5;

interface ForecastRow {
  line: number;
  key: string;
  position: number;
  /** ms since the epoch; 0: at once. */
  publishAt: number;
  /** ISO; null without one. */
  deadline: string | null;
  urlExpiry: string | null;
  /** The campaign has it, and the manifest doesn't: it takes its turn like the others. */
  kept: boolean;
}

type ForecastEntry = Pick<Entry, 'account' | 'line' | 'key' | 'position' | 'values'>;

interface ForecastChannel {
  id: string;
  label: string;
  entry: ForecastEntry;
  rows: ForecastRow[];
}

/** When the rows of a plan would be sent, channel by channel, by the same pace that claims use. */
export class Forecast {
  private readonly channels = new Map<string, ForecastChannel>();

  add(channel: string, entry: ForecastEntry, { kept = false } = {}): void {
    const known = this.channels.get(channel) ?? { id: channel, label: channelLabel(entry.values), entry, rows: [] };
    this.channels.set(channel, known);
    const { publishAt, deadline = null, sourceExpiresAt = null } = entry.values;
    known.rows.push({
      line: entry.line,
      key: entry.key,
      position: entry.position,
      publishAt: publishAt === null ? 0 : Date.parse(publishAt),
      deadline,
      urlExpiry: sourceExpiresAt,
      kept,
    });
  }

  /** Rows are served in order; other campaigns' waiting rows are not counted. */
  async read(
    db: Db,
    settings: CampaignSettings,
    now: number,
  ): Promise<{ channels: PlanChannel[]; kept: KeptTimes | null; problems: SubmissionProblem[] }> {
    const layers = await layersOf(db, settings, null);
    const named = [...this.channels.values()].map(({ entry, label }) => ({
      ...entry.values,
      account: entry.account,
      label,
    }));
    const nameOf = await readChannelNames(db, named);
    const found: PlanChannel[] = [];
    const problems: SubmissionProblem[] = [];
    const kept: KeptSlot[] = [];
    const accounts = new Map<string, (PacedWork & { channel: ForecastChannel })[]>();
    for (const channel of this.channels.values()) {
      channel.rows.sort((a, b) => a.publishAt - b.publishAt || a.position - b.position);
      const { account, values } = channel.entry;
      const id = await channelIdOf(db, account, values.profileId ?? '', values.platform);
      const record = {
        id,
        account,
        profile_id: values.profileId ?? '',
        platform: values.platform,
        label: channel.label,
      };
      const { books } = await paceFrom(db, settings, layers, record);
      const group = accounts.get(account) ?? [];
      accounts.set(account, group);
      const { profileId, platform } = values;
      const label = nameOf({ account, profileId, platform, label: channel.label });
      group.push({
        channel: { ...channel, label },
        readyAt: channel.rows.map((row) => Math.max(row.publishAt, now)),
        own: books.filter(({ rules }) => !isOfAccount(rules)),
        account: books.filter(({ rules }) => isOfAccount(rules)),
      });
    }
    for (const group of accounts.values()) {
      const slots = await slotsOfAccount(group);
      for (const [at, { channel, own, account }] of group.entries()) {
        const { rows } = channel;
        const of = (slots[at] ?? []).map((slot, index) => ({ slot, row: rows[index] }));
        for (const { slot, row } of of) if (row?.kept === true) kept.push({ at: slot.at, timed: row.publishAt > 0 });
        const planned = { ...channel, rows: rows.filter((row) => !row.kept) };
        if (planned.rows.length === 0) continue;
        const plannedSlots = of.flatMap(({ slot, row }) => (row?.kept === true ? [] : [slot]));
        const seen = describe(planned, plannedSlots, now);
        found.push(seen);
        problems.push(...warnings(planned, plannedSlots, seen, settings, own.length + account.length > 0));
      }
    }
    const order = [...this.channels.keys()];
    found.sort((a, b) => order.indexOf(a.channel) - order.indexOf(b.channel));
    return { channels: found, kept: keptTimes(kept, now), problems };
  }
}

interface KeptSlot {
  at: number;
  timed: boolean;
}

function keptTimes(slots: readonly KeptSlot[], now: number): KeptTimes | null {
  if (slots.length === 0) return null;
  const times = slots.map(({ at }) => at);
  const shown = (at: number): string | null => (at <= now ? null : timeOf({ at }));
  return {
    firstAt: shown(times.reduce((a, b) => Math.min(a, b))),
    lastAt: shown(times.reduce((a, b) => Math.max(a, b))),
    timed: slots.some(({ timed }) => timed),
  };
}

function describe(channel: ForecastChannel, slots: readonly Slot[], now: number): PlanChannel {
  const first = slots[0];
  const last = slots.at(-1);
  const shown = (slot: Slot | undefined): string | null => (slot === undefined || slot.at <= now ? null : timeOf(slot));
  const misses = channel.rows.flatMap((row, at) => missedBy(row, slots[at]));
  return {
    channel: channel.id,
    label: channel.label,
    rows: channel.rows.length,
    firstAt: shown(first),
    lastAt: shown(last),
    timed: channel.rows.some(({ publishAt }) => publishAt > 0),
    late: misses.filter((one) => one.time === 'publish_at').length,
    misses,
    atOnce: mostAtOnce(slots),
    times: channel.rows.map(({ position }, at) => {
      const slot = slots[at];
      return { position, at: slot === undefined || slot.at <= now ? null : slot.at };
    }),
  };
}

function warnings(
  channel: ForecastChannel,
  slots: readonly Slot[],
  seen: PlanChannel,
  settings: CampaignSettings,
  paced: boolean,
): SubmissionProblem[] {
  const found: SubmissionProblem[] = [];
  const never = slots.findIndex((slot) => !Number.isFinite(slot.at));
  const neverRow = channel.rows[never];
  if (neverRow) {
    found.push(
      problem(neverRow, 'warning', 'never-sent', {
        message: `${channel.label}: its hours never occur; ${slots.length - never} rows would wait for ever`,
        hint: 'give pace.hours days and hours that exist',
      }),
    );
  }
  const missing = (time: MissedTime['time']) => seen.misses.filter((one) => one.time === time);
  const become = settings.late === 'skip' ? 'skipped' : 'held';
  const late = settings.late === 'publish' ? [] : missing('publish_at');
  const texts = [
    { found: late, code: 'misses-time', what: 'miss their publish_at by more than 1 h', then: `be ${become}` },
    { found: missing('deadline'), code: 'misses-deadline', what: 'miss their deadline', then: `be ${become}` },
    {
      found: missing('url_expiry'),
      code: 'misses-deadline',
      what: 'be sent when their signed URL has expired',
      then: 'fail',
    },
  ] as const;
  for (const { found: rows, code, what, then } of texts) {
    const [first] = rows;
    if (first === undefined) continue;
    const lines = rows.slice(0, SHOWN).map((row) => row.line);
    const more = rows.length > lines.length ? ` and ${rows.length - lines.length} more` : '';
    found.push(
      problem(first, 'warning', code, {
        message: `${channel.label}: ${rows.length === 1 ? '1 row' : `${rows.length} rows`} would ${what} (${first.why}), ${rows.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}; they would ${then}`,
        hint: HINTS[first.time],
      }),
    );
  }
  const [burst] = channel.rows;
  if (!paced && seen.atOnce >= BURST_ROWS && burst) {
    found.push(
      problem({ line: null, key: null }, 'warning', 'burst', {
        message: `${channel.label}: ${seen.atOnce} at once`,
        hint: 'spread them with pace, such as min_gap: 10m or max_per: 15 per 24h',
      }),
    );
  }
  return found;
}

const HINTS: Readonly<Record<MissedTime['time'], string>> = {
  publish_at: 'spread the times, loosen the pace, or use late: publish',
  deadline: 'loosen the pace, give later deadlines, or put these rows first',
  url_expiry: 'sign the URLs for longer, loosen the pace, or submit them in parts',
};

function timeOf(slot: Pick<Slot, 'at'>): string {
  return Number.isFinite(slot.at) ? iso(slot.at) : 'never';
}

/** Which of its own times a row would miss in its slot. */
function missedBy(row: ForecastRow, slot: Slot | undefined): MissedTime[] {
  if (slot === undefined) return [];
  const { line, key } = row;
  const at = timeOf(slot);
  const missed: MissedTime[] = [];
  const why = slot.why ?? (row.publishAt > 0 ? 'its publish_at' : 'its time');
  if (row.publishAt > 0 && slot.why !== null && slot.at - row.publishAt > LATE_AFTER_MS) {
    missed.push({ line, key, time: 'publish_at', wanted: iso(row.publishAt), at, why });
  }
  if (row.deadline !== null && slot.at > Date.parse(row.deadline)) {
    missed.push({ line, key, time: 'deadline', wanted: row.deadline, at, why });
  }
  // Without a pace, the manifest's own check reports it.
  if (row.urlExpiry !== null && slot.why !== null && slot.at > Date.parse(row.urlExpiry)) {
    missed.push({ line, key, time: 'url_expiry', wanted: row.urlExpiry, at, why });
  }
  return missed;
}

function mostAtOnce(slots: readonly Slot[]): number {
  let most = 0;
  let run = 0;
  for (const [at, slot] of slots.entries()) {
    run = slots[at - 1]?.at === slot.at ? run + 1 : 1;
    most = Math.max(most, run);
  }
  return most;
}

async function channelIdOf(db: Db, account: string, profileId: string, platform: string): Promise<number> {
  const found = await db
    .selectFrom('channels')
    .select('id')
    .where('account', '=', account)
    .where('profile_id', '=', profileId)
    .where('platform', '=', platform)
    .executeTakeFirst();
  // A channel that the ledger doesn't have yet has no history; ids begin at 1.
  return found?.id ?? 0;
}
