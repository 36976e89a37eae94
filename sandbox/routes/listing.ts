import { type Answer } from './answer';
import { type Context, viewContext } from '../context';
import { type PublicationRecord } from '../store/records';
import { type Fields, checkPlatform, invalid, text } from './validate';
import { publicationView, shownStatusAt, type ViewContext } from './views';

const LISTED_STATUSES: readonly string[] = ['pending', 'processing', 'published', 'failed'];

/** GET /v1/publications (section 4.4), in the configured order and with the configured gaps. @throws Refusal */
export async function listPublications(
  context: Context,
  query: Fields,
  shownStatus: ViewContext['shownStatus'],
): Promise<Answer> {
  const { rules, options } = context;
  const { open } = options;
  const limit = pageNumber(context, query, 'limit', 20, 1, 100);
  const offset = pageNumber(context, query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const platform = query['platform'] === undefined ? null : checkPlatform(rules, query['platform']);
  const profileId = text(rules, query, 'profile_id');
  const status = text(rules, query, 'status');
  if (status !== null && !LISTED_STATUSES.includes(status)) {
    invalid(rules, `status must be ${LISTED_STATUSES.join(', ')}`);
  }
  const now = Date.now();
  const { page, total } = pageOf(listed(context, now), Math.min(limit, open.pageMax), offset, {
    fits:
      platform === null && profileId === null && status === null && open.draftsListed
        ? null
        : (record) =>
            (platform === null || record.platform === platform) &&
            (profileId === null || record.profileId === profileId) &&
            (open.draftsListed || record.given !== 'draft') &&
            (status === null || shownStatusAt(record, now, open) === status),
  });
  const view = viewContext(context, shownStatus);
  const publications = page.map((record) => publicationView(record, 'list', view));
  return { status: 200, body: { publications, ...(open.listTotal ? { total } : {}), limit, offset } };
}

/** What the list shows now, oldest first: everything except for what it lags behind. */
function listed({ store, options }: Context, now: number): readonly PublicationRecord[] {
  const { listLagMs, readLagMs, listOrder } = options.open;
  const lagMs = Math.max(listLagMs, readLagMs);
  const records = store.ordered();
  let end = records.length;
  if (lagMs > 0) while (end > 0 && (records[end - 1]?.createdAt ?? 0) > now - lagMs) end -= 1;
  const shown = end === records.length ? records : records.slice(0, end);
  if (listOrder === 'newest') return shown;
  const second = ({ createdAt }: PublicationRecord): number => Math.floor(createdAt / 1000);
  return shown.toSorted((a, b) => second(a) - second(b) || (a.id < b.id ? 1 : -1));
}

/**
 * One page from the newest entry on, and the number of all matches. The unfiltered list is sliced without iterating
 * over it.
 */
function pageOf(
  records: readonly PublicationRecord[],
  size: number,
  offset: number,
  { fits }: { fits: ((record: PublicationRecord) => boolean) | null },
): { page: PublicationRecord[]; total: number } {
  if (fits === null) {
    const end = records.length - offset;
    return { page: records.slice(Math.max(0, end - size), Math.max(0, end)).reverse(), total: records.length };
  }
  const page: PublicationRecord[] = [];
  let total = 0;
  for (let at = records.length - 1; at >= 0; at -= 1) {
    const record = records[at];
    if (record === undefined || !fits(record)) continue;
    if (total >= offset && page.length < size) page.push(record);
    total += 1;
  }
  return { page, total };
}

function pageNumber(context: Context, query: Fields, name: string, standard: number, min: number, max: number): number {
  const value = query[name];
  if (value === undefined) return standard;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  if (context.options.open.pageLimit === 'clamp' && !Number.isNaN(number)) return Math.min(max, Math.max(min, number));
  return invalid(
    context.rules,
    `${name} must be a whole number of at least ${String(min)}${max === 100 ? ', at most 100' : ''}`,
  );
}
