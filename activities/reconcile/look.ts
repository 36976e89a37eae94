import { type Ledger } from '../../ledger/ledger';
import { type ServiceClient } from '../../service/api/client';
import { type ListReads } from '../follow/list-reads';
import { type Publication } from '../../service/api/publication';

/** When (ms) the own publications were recorded that the list shows next below and next above one. */
export interface Between {
  after: number;
  before: number;
}

/** What one look at an account's list found. */
export interface ListLook {
  at: number;
  /** Publications that no row owns, newest first, down to where the look could stop. */
  unowned: Publication[];
  /** By the id of an unowned one. */
  between: ReadonlyMap<string, Between>;
  /** True when the list was read without a gap from its newest entry to where everything is older than `since`. */
  full: boolean;
}

/** Entries read twice at the border of two pages: new publications push older ones down between two requests. */
const OVERLAP = 10;
const PAGE = 100;
const MAX_PAGES = 2_000;

/**
 * Lists an account's publications newest first, without a status filter (section 4.4), down to the baseline: an id that
 * was there when the run began, or an own publication that was recorded before `since`. Everything below is older than
 * any attempt that is being looked for.
 */
export async function lookAtList(
  deps: { ledger: Ledger; client: ServiceClient; now: () => number; onPage?: (() => void) | undefined },
  input: {
    account: string;
    baseline: readonly string[];
    since: number;
    reading: ReturnType<ListReads['begin']>;
    signal?: AbortSignal | undefined;
  },
): Promise<ListLook> {
  const baseline = new Set(input.baseline);
  const unowned = new Map<string, Publication>();
  const between = new Map<string, Between>();
  let before = Infinity;
  let lastOfPage: string | null = null;
  let full = true;
  let offset = 0;

  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await deps.client.listPublications({ limit: PAGE, offset }, { signal: input.signal });
    deps.onPage?.();
    const ids = page.publications.map((publication) => publication.id);
    // Pages overlap; when the last entry of one isn't in the next, entries vanished in between and some may be missed.
    if (lastOfPage !== null && ids.length > 0 && !ids.includes(lastOfPage)) full = false;

    const owned = await deps.ledger.owned(input.account, ids);
    await deps.ledger.noteSeen(input.account, [...owned.keys()], deps.now(), input.reading.previous);
    for (const notedAt of owned.values()) input.reading.reached(Date.parse(notedAt));
    let reachedOlder = false;
    for (const publication of page.publications) {
      if (baseline.has(publication.id)) {
        reachedOlder = true;
        continue;
      }
      const recorded = owned.get(publication.id);
      if (recorded !== undefined) {
        const recordedAt = Date.parse(recorded);
        for (const id of unowned.keys()) if (!between.has(id)) between.set(id, { after: recordedAt, before });
        before = recordedAt;
        if (recordedAt < input.since) reachedOlder = true;
        continue;
      }
      if (!reachedOlder) unowned.set(publication.id, publication);
    }
    const atEnd = page.total === null ? ids.length < PAGE : offset + ids.length >= page.total;
    if (reachedOlder || ids.length === 0 || atEnd)
      return { at: deps.now(), unowned: [...unowned.values()], between, full };
    lastOfPage = ids.at(-1) ?? null;
    offset += Math.max(ids.length - OVERLAP, 1);
  }
  return { at: deps.now(), unowned: [...unowned.values()], between, full: false };
}
