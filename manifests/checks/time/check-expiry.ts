import { type ProblemList } from '../../problems/problems';
import { type DraftRow } from '../row-context';

/** When a signed URL expires, in ms since the epoch; null if its query doesn't show it. */
export function expiryOf(source: string): number | null {
  if (!source.includes('?') || !URL.canParse(source)) return null;
  const query = new Map([...new URL(source).searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  for (const vendor of ['x-amz', 'x-goog']) {
    const signedAt = compactTime(query.get(`${vendor}-date`) ?? '');
    const seconds = query.get(`${vendor}-expires`) ?? '';
    if (signedAt !== null && /^\d{1,9}$/.test(seconds)) return signedAt + Number(seconds) * 1000;
  }
  const expires = query.get('expires') ?? '';
  // Seconds since the epoch; shorter numbers are durations from an unknown time.
  if (/^\d{10}$/.test(expires)) return Number(expires) * 1000;
  const end = query.get('se') ?? '';
  const parsed = query.has('sig') && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(end) ? Date.parse(end) : NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

/** `20260601T120000Z` */
function compactTime(text: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)?.slice(1).join(' ').split(' ').map(Number);
  if (parts === undefined) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Warns of signed URLs that expire before their row is sent: the service fetches the video only then. */
export function checkExpiry(drafts: readonly DraftRow[], now: number, problems: ProblemList): void {
  for (const { row, sourceAt } of drafts) {
    if (row.sourceKind !== 'url' || row.source === null || row.skip) continue;
    const expiry = expiryOf(row.source);
    if (expiry === null) continue;
    row.sourceExpiresAt = new Date(expiry).toISOString();
    const sentAt = Math.max(row.publishAt === null ? now : Date.parse(row.publishAt), now);
    if (expiry > sentAt) continue;
    problems.startRow();
    const when = new Date(expiry).toISOString();
    const message =
      expiry <= now
        ? `The signed URL expired at ${when}.`
        : `The signed URL expires at ${when}, before the row is sent at ${new Date(sentAt).toISOString()}.`;
    problems.add({ code: 'url-expires', at: sourceAt, value: row.source, message });
  }
}
