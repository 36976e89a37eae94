import { LATE_AFTER_MS } from './claim';
import { type PlanChannel } from './converge';
import { problem, type SubmissionProblem } from './errors';
import { channelLabel } from './labels';
import { type Slot } from './pace';
import { slotsOfAccount, type PacedWork } from './account-slots';
import { layersOf, paceFrom, type PaceBook } from './pacing';
import { type Db, iso } from './store';
import { type CampaignSettings, type Entry } from './types';

/** So many rows of one channel at the same moment look like a mistake on a platform. */
export const BURST_ROWS = 20;
/** Rows named in one warning. */
const SHOWN = 5;

interface ForecastRow {
  line: number;
  key: string;
  position: number;
  /** ms since the epoch; 0: at once. */
  publishAt: number;
}

interface ForecastChannel {
  id: string;
  label: string;
  entry: Entry;
  rows: ForecastRow[];
}

/** When the rows of a plan would go out, channel by channel, by the same pace that claims keep to. */
export class Forecast {
  private readonly channels = new Map<string, ForecastChannel>();

  add(channel: string, entry: Entry): void {
    const known = this.channels.get(channel) ?? { id: channel, label: channelLabel(entry.values), entry, rows: [] };
    this.channels.set(channel, known);
    const { publishAt } = entry.values;
    known.rows.push({
      line: entry.line,
      key: entry.key,
      position: entry.position,
      publishAt: publishAt === null ? 0 : Date.parse(publishAt),
    });
  }

  /** Rows without a history of their own go first come, first served: other campaigns' waiting rows are not counted. */
  async read(
    db: Db,
    settings: CampaignSettings,
    now: number,
  ): Promise<{ channels: PlanChannel[]; problems: SubmissionProblem[] }> {
    const layers = await layersOf(db, settings, null);
    const found: PlanChannel[] = [];
    const problems: SubmissionProblem[] = [];
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
      const isOfAccount = (book: PaceBook) => book.rules.createsPerMinute !== undefined;
      const group = accounts.get(account) ?? [];
      accounts.set(account, group);
      group.push({
        channel,
        readyAt: channel.rows.map((row) => Math.max(row.publishAt, now)),
        own: books.filter((book) => !isOfAccount(book)),
        account: books.filter(isOfAccount),
      });
    }
    for (const group of accounts.values()) {
      const slots = await slotsOfAccount(group);
      for (const [at, { channel, own, account }] of group.entries()) {
        const seen = describe(channel, slots[at] ?? [], now);
        found.push(seen);
        problems.push(...warnings(channel, slots[at] ?? [], seen, settings, own.length + account.length > 0));
      }
    }
    const order = [...this.channels.keys()];
    found.sort((a, b) => order.indexOf(a.channel) - order.indexOf(b.channel));
    return { channels: found, problems };
  }
}

function describe(channel: ForecastChannel, slots: readonly Slot[], now: number): PlanChannel {
  const first = slots[0];
  const last = slots.at(-1);
  const shown = (slot: Slot | undefined): string | null =>
    slot === undefined || slot.at <= now ? null : Number.isFinite(slot.at) ? iso(slot.at) : 'never';
  return {
    channel: channel.id,
    label: channel.label,
    rows: channel.rows.length,
    firstAt: shown(first),
    lastAt: shown(last),
    late: slots.filter((slot, at) => isLate(channel.rows[at], slot)).length,
    atOnce: mostAtOnce(slots),
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
        message: `${channel.label}: its hours never come; ${slots.length - never} rows would wait for ever`,
        hint: 'give pace.hours days and hours that exist',
      }),
    );
  }
  const late = channel.rows.filter((row, at) => isLate(row, slots[at]));
  const first = late[0];
  if (first && settings.late !== 'publish') {
    const why = slots[channel.rows.indexOf(first)]?.why ?? 'its pace';
    const lines = late.slice(0, SHOWN).map((row) => row.line);
    const more = late.length > lines.length ? ` and ${late.length - lines.length} more` : '';
    found.push(
      problem(first, 'warning', 'misses-time', {
        message: `${channel.label}: ${late.length} rows would miss their publish_at by more than 1 h (${why}), lines ${lines.join(', ')}${more}; they would be ${settings.late === 'hold' ? 'held' : 'skipped'}`,
        hint: 'spread the times, loosen the pace, or use late: publish',
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

function isLate(row: ForecastRow | undefined, slot: Slot | undefined): boolean {
  if (!row || !slot || row.publishAt === 0 || slot.why === null) return false;
  return slot.at - row.publishAt > LATE_AFTER_MS;
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
  // A channel that the ledger hasn't met has no history; ids begin at 1.
  return found?.id ?? 0;
}
