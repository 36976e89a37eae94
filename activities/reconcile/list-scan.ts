import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type ListHabits } from '../../ledger/publications/list-habits';
import { type ExpectedPublication } from '../../ledger/publications/answered';
import { type OwnedPublication } from '../../ledger/publications/publications';
import { type ServiceClient } from '../../service/api/client';
import { type Publication } from '../../service/api/publication';
import { ServiceError } from '../../service/errors';
import { type ListReading } from '../follow/list-reads';
import { learnFromList } from '../compare/learn-habits';

/** When (ms) the own publications were recorded that the list shows next below and next above one. */
export interface Between {
  after: number;
  before: number;
}

/** What one scan of an account's list found. */
export interface ScannedList {
  /** When it began: by the local clock, and by the service's (null if it shows none). ms since the epoch. */
  at: number;
  servedAt: number | null;
  /** Publications that no row owned when they were read, and that weren't listed before; newest first. */
  unowned: Publication[];
  /** Publications of rows that got them since the first of the lost creates was claimed. */
  answered: Publication[];
  /** Of the unowned ones, those listed below most of the earlier entries. */
  belowKnown: ReadonlySet<string>;
  /** By the id of an unowned one. */
  between: ReadonlyMap<string, Between>;
  /** Read without a gap from the newest entry to an empty page, or past a whole region of earlier entries. */
  full: boolean;
  /**
   * Every own publication that was accepted before the scan began, and isn't within the list's usual lag, is in it or
   * was deleted.
   */
  current: boolean;
}

interface ScanInput {
  account: string;
  /** Ids that were in the list before any of the creates that are looked for. */
  knownBefore: ReadonlySet<string>;
  /** The ledger's sequence number when the first of those creates was claimed. */
  since: number;
  habits: Pick<ListHabits, 'slowestMs' | 'order'>;
  reading: ListReading;
  signal?: AbortSignal | undefined;
}

interface ScanDeps {
  ledger: ReconcilingLedger;
  client: Pick<ServiceClient, 'listPublications' | 'getPublication'>;
  now: () => number;
  onPage?: (() => void) | undefined;
}

const PAGE = 100;
/** Entries read twice at the border of two pages: new publications push older ones down between two requests. */
const OVERLAP = 10;
const MAX_PAGES = 5_000;
/** Consecutive pages without anything new after which the list is considered endless. */
const MAX_REPEATED = 5;
/** Number of consecutive entries, all known before, that make up a whole region. */
const REGION = 100;
/** Own publications below newer ones that show how a list is sorted. */
const ORDER_PROVEN = 5;
/** Own publications made before the lost create that a current list shows too. */
const EARLIER = 20;
/** Number of own publications missing from a list that are read by id, because a record may have been deleted. */
const MAX_MISSING = 20;

/**
 * Reads an account's list (section 4.4), without any filter, from its newest entry on. It ends at an empty page, or, if
 * the list has always had the newest first, past a whole region of earlier entries; never because a page is short,
 * because of a `total`, or at the first known entry.
 * @throws ServiceError if a page can't be read
 */
export async function scanList(deps: ScanDeps, input: ScanInput): Promise<ScannedList> {
  const { ledger, client, now } = deps;
  const { account, signal } = input;
  const at = now();
  const until = input.habits.slowestMs > 0 ? at - input.habits.slowestMs : Number.MAX_SAFE_INTEGER;
  const expected = await ledger.acceptedSince({ account, since: input.since, until, before: EARLIER });
  const missing = new Set(expected.map(({ id }) => id));
  const seen = new Set<string>();
  const unowned = new Map<string, Publication>();
  const answered = new Map<string, Publication>();
  const between = new Map<string, Between>();
  const belowKnown = new Set<string>();
  const order = new ListOrder(input.habits.order);
  let knownAbove = 0;
  let servedAt: number | null = null;
  let before = Infinity;
  let region = 0;
  let isPastRegion = false;
  let repeated = 0;
  let lastOfPage: string | null = null;
  let gap = false;
  let showsOwn = false;
  let ended = false;

  for (let pages = 0, offset = 0; pages < MAX_PAGES && !ended; pages += 1) {
    const page = await client.listPublications({ limit: PAGE, offset }, { signal });
    deps.onPage?.();
    if (pages === 0) servedAt = page.servedAt;
    const ids = page.publications.map((publication) => publication.id);
    if (ids.length === 0) {
      ended = true;
      break;
    }
    // Pages overlap; if the last entry of one isn't in the next, entries vanished in between and some may have been
    // missed.
    if (lastOfPage !== null && !ids.includes(lastOfPage)) gap = true;
    const owned = await ledger.owned(account, ids);
    await learnFromList(ledger, {
      account,
      shown: page.publications,
      owned,
      at: now(),
      reading: input.reading,
    });
    let fresh = 0;
    for (const publication of page.publications) {
      if (seen.has(publication.id)) continue;
      seen.add(publication.id);
      missing.delete(publication.id);
      fresh += 1;
      // A region counts wherever it ends, since nothing below it could have been known.
      isPastRegion ||= region >= REGION;
      const own = owned.get(publication.id);
      const known = input.knownBefore.has(publication.id);
      if (known) knownAbove += 1;
      if (own === undefined) {
        region = known ? region + 1 : 0;
        if (!known) unowned.set(publication.id, publication);
        if (!known && knownAbove > input.knownBefore.size / 2) belowKnown.add(publication.id);
        continue;
      }
      showsOwn = true;
      const notedAt = Date.parse(own.notedAt);
      input.reading.reached(notedAt);
      for (const id of unowned.keys()) if (!between.has(id)) between.set(id, { after: notedAt, before });
      before = notedAt;
      order.next(own);
      const isEarlier = own.notedSequence !== null && own.notedSequence < input.since;
      if (!isEarlier) answered.set(publication.id, publication);
      region = isEarlier ? region + 1 : 0;
    }
    repeated = fresh === 0 ? repeated + 1 : 0;
    if (repeated > MAX_REPEATED) break;
    isPastRegion ||= region >= REGION;
    ended = isPastRegion && missing.size === 0 && order.isNewestFirst();
    // At the end a page may contain only known entries; the next one has to be beyond it.
    const overlap = fresh === 0 ? 0 : Math.min(OVERLAP, Math.floor(ids.length / 2));
    lastOfPage = overlap === 0 ? null : (ids.at(-1) ?? null);
    offset += ids.length - overlap;
  }
  await order.learn(ledger, account);
  return {
    at,
    servedAt,
    unowned: [...unowned.values()],
    belowKnown,
    answered: [...answered.values()],
    between,
    full: ended && !gap,
    current: await isCurrent(client, { expected, missing, showsOwn }, signal),
  };
}

/**
 * How a list is sorted, by own publications of which it is known that one was created after the other had been
 * recorded: each of them is compared with all above it.
 */
class ListOrder {
  /** By the ledger's sequence numbers: when the newest above was claimed, and when the oldest above was recorded. */
  private newestClaimed = -Infinity;
  private oldestNoted = Infinity;
  private readonly found = { kept: 0, broken: 0 };

  constructor(private readonly known: ListHabits['order']) {}

  next({ claimedSequence, notedSequence }: OwnedPublication): void {
    if (claimedSequence === null || notedSequence === null) return;
    if (claimedSequence > this.oldestNoted) this.found.broken += 1;
    else if (this.newestClaimed > notedSequence) this.found.kept += 1;
    this.newestClaimed = Math.max(this.newestClaimed, claimedSequence);
    this.oldestNoted = Math.min(this.oldestNoted, notedSequence);
  }

  isNewestFirst(): boolean {
    const { known, found } = this;
    return known.broken + found.broken === 0 && Math.max(known.kept, found.kept) >= ORDER_PROVEN;
  }

  async learn(ledger: ReconcilingLedger, account: string): Promise<void> {
    const { known, found } = this;
    // Every scan shows the same ones again: the result of one scan counts, not how often it was seen.
    const kept = Math.min(Math.max(found.kept - known.kept, 0), ORDER_PROVEN);
    const broken = known.broken > 0 ? 0 : found.broken;
    if (kept + broken > 0) await ledger.learnHabits(account, { order: { kept, broken } });
  }
}

interface Listed {
  expected: readonly ExpectedPublication[];
  /** Those of them that the list lacks. */
  missing: ReadonlySet<string>;
  /** Any of the account's own publications is in it. */
  showsOwn: boolean;
}

/**
 * Whether a list shows the present state: the own publications that it lacks were deleted, as far as the ledger and
 * reads by their ids (section 4.6) can tell. Those reads may show the same earlier state, so 404 alone proves nothing:
 * the publication must have been seen before, its row must have ended, and the list must show one that was created
 * after it. A list that shows none of the own publications proves nothing at all.
 */
async function isCurrent(
  client: Pick<ServiceClient, 'getPublication'>,
  { expected, missing, showsOwn }: Listed,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (missing.size === 0) return true;
  const lacking = expected.filter(({ id, deleted }) => missing.has(id) && deleted !== 'did');
  const shown = expected.filter(({ id }) => !missing.has(id));
  const newest = Math.max(...shown.map(({ claimedSequence }) => claimedSequence ?? -Infinity));
  if (!showsOwn || lacking.length > MAX_MISSING) return false;
  if (lacking.some(({ deleted, notedSequence }) => deleted === null || notedSequence >= newest)) return false;
  for (const { id } of lacking) {
    try {
      await client.getPublication(id, { signal });
      return false;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.kind !== 'not-found') return false;
    }
  }
  return true;
}
