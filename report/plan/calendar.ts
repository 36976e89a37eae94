import { type Clock, localDay, localTime } from '../../wording/times';
import { type Audience } from '../html/audience';
import { countText, escapeHtml } from '../html/text';
import { type PlannedItem } from './planned';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const DAY_MS = 86_400_000;
/** Number of weeks that are drawn: a year. */
const WEEKS = 53;
/** Maximum number per day. */
const ITEMS = 12;

/**
 * What is planned, as weeks of seven days; on a phone only the days with entries, one below the other. `total`: number
 * of rows that have a time, of which `items` are the first.
 */
export function calendar(
  items: readonly PlannedItem[],
  total: number,
  { clock, audience }: { clock: Clock; audience: Audience },
): string {
  const [first] = items;
  if (first === undefined) return '';
  const days = new Map<string, PlannedItem[]>();
  for (const item of items) {
    const day = localDay(item.at, clock.zone);
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  const names = [...days.keys()];
  const monday = mondayOf(names[0] ?? '');
  const end = Date.parse(names.at(-1) ?? '');
  const weeks: string[] = [];
  let drawn = 0;
  for (let start = monday; start <= end && weeks.length < WEEKS; start += 7 * DAY_MS) {
    const week = DAYS.map((_, at) => new Date(start + at * DAY_MS).toISOString().slice(0, 10));
    if (!week.some((day) => days.has(day))) continue;
    weeks.push(week.map((day) => dayCell(day, days.get(day) ?? [], clock)).join(''));
    drawn += week.reduce((sum, day) => sum + (days.get(day)?.length ?? 0), 0);
  }
  const more = total > drawn ? `<p class="dim">… and ${countText(total - drawn)} later.</p>\n` : '';
  return `<h2>Planned</h2>
<p class="dim">${audience.rows(total)}, from ${escapeHtml(localTime(first.at, clock))} on (${escapeHtml(clock.zone)}). Weeks without any are left out.</p>
<div class="calendar" role="list">${DAYS.map((day) => `<div class="name" aria-hidden="true">${day}</div>`).join('')}${weeks.join('')}</div>
${more}`;
}

function dayCell(day: string, items: readonly PlannedItem[], clock: Clock): string {
  const at = new Date(`${day}T12:00:00Z`);
  const name = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  const shown = items.slice(0, ITEMS).map((item) => {
    const [, hour = ''] = /(\d\d:\d\d)$/.exec(localTime(item.at, clock)) ?? [];
    return `<li><b>${hour}</b> ${escapeHtml(item.title)} <span class="dim">${escapeHtml(item.channel)}</span></li>`;
  });
  if (items.length > ITEMS) shown.push(`<li class="dim">… and ${countText(items.length - ITEMS)} more</li>`);
  const list = shown.length === 0 ? '' : `<ul>${shown.join('')}</ul>`;
  const look = items.length === 0 ? 'day empty' : 'day';
  return `<div class="${look}" role="listitem"><p class="date">${name.format(at)}</p>${list}</div>`;
}

/** ms of the Monday before or on a day. */
function mondayOf(day: string): number {
  const at = Date.parse(day);
  return at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS;
}
