import { type InFlightRow, type PublicationEnd } from '../../ledger/model/result-types';
import { type RunRef } from '../../ledger/model/types';
import { type Difference, differencesOf, endOf } from '../compare/as-requested';
import { type Publication } from '../../service/api/publication';
import { ServiceError } from '../../service/errors';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';
import { byAccount } from '../accounts/by-account';
import { usableAccount } from '../accounts/usable-account';
import { inParallel } from '../in-parallel';
import { learnFromList, learnFromView } from '../compare/learn-habits';
import { type ListReading, type ListReads } from './list-reads';
import { mayStillChange } from './differing-reads';
import { ReadTimes } from './read-times';
import { type SharedPages } from './shared-pages';

/** Concurrent reads of one account. */
const READS = 8;
/** Fewer rows than this are read one by one: that takes no more requests than a sweep, and needs no hint. */
const FEW = 3;
const WRITE_AT_ONCE = 200;
/** For this many intervals, a list may say `processing` before the publication itself is read. */
const TRUST_HINTS = 30;

export interface FollowReport {
  inFlight: number;
  /** ms since the epoch: when the next read is due; null when nothing is in flight. */
  nextAt: number | null;
  notes: string[];
}

/**
 * Follows publications to `published` or `failed` (section 4.5: the client polls). A sweep of the account's list is
 * only a hint about which of them are worth a read; an end is always confirmed by GET. Unknown statuses and unreadable
 * answers end nothing: they are recorded and read again, until the deadline makes a row `overdue`.
 */
export class PublicationPoller {
  private readonly times: ReadTimes;
  /** Accounts whose list is known to show publications soon after they are created. */
  private readonly known = new Set<string>();

  constructor(
    private readonly deps: ActivityDeps,
    private readonly reads: ListReads,
    private readonly shared: SharedPages,
  ) {
    this.times = new ReadTimes(deps);
  }

  async follow(
    run: RunRef,
    options: { signal?: AbortSignal | undefined; onRead?: () => void } = {},
  ): Promise<FollowReport> {
    const rows = await this.deps.ledger.inFlight(run);
    const notes: string[] = [];
    const ends: PublicationEnd[] = [];
    for (const [account, group] of byAccount(rows)) {
      // Rows past their deadline are read individually below.
      const due = group.filter((row) => !this.times.isLate(row) && this.times.isDue(row));
      if (due.length === 0 || this.times.isQuiet(account)) continue;
      const connection = usableAccount(this.deps, account, notes);
      if (connection === null) this.times.quiet(account, this.deps.timings.throttledMs);
      else await this.readAccount(connection, due, ends, notes, options);
    }
    await this.endOverdue(rows, ends, notes, options);
    for (let at = 0; at < ends.length; at += WRITE_AT_ONCE) {
      await this.deps.ledger.recordEnds(ends.slice(at, at + WRITE_AT_ONCE));
    }
    this.logEnds(run, rows, ends);
    for (const end of ends) this.times.forget(end.publicationId);
    const gone = new Set(ends.map((end) => end.publicationId));
    const left = rows.filter((row) => !gone.has(row.publicationId));
    const times = left.map((row) => this.times.next(row));
    return {
      inFlight: left.length,
      nextAt: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
      notes,
    };
  }

  private logEnds(run: RunRef, rows: readonly InFlightRow[], ends: readonly PublicationEnd[]): void {
    if (ends.length === 0) return;
    const byId = new Map(rows.map((row) => [row.publicationId, row]));
    for (const { publicationId, state, code, message } of ends) {
      const row = byId.get(publicationId);
      const about = { run: `${run.campaign}.${run.number}`, channel: row?.channel, row: row?.line, key: row?.key };
      if (state === 'published' && code === undefined)
        this.deps.log.info(state, { ...about, publication: publicationId });
      else this.deps.log.warn(state, { ...about, publication: publicationId, code, why: message });
    }
  }

  private async readAccount(
    connection: AccountConnection,
    due: readonly InFlightRow[],
    ends: PublicationEnd[],
    notes: string[],
    options: { signal?: AbortSignal | undefined; onRead?: () => void },
  ): Promise<void> {
    let worthReading = due;
    if (due.length > FEW || (await this.isListUnknown(connection.name))) {
      const hints = await this.sweep(connection, due, notes, options);
      if (hints === null) return;
      worthReading = due.filter((row) => {
        const hint = hints.get(row.publicationId);
        if (hint === undefined) return true;
        // A list that never changes must not hide an end: read the publication itself from time to time.
        if (
          hint.status !== 'processing' ||
          this.deps.now() - this.times.lastRead(row) > TRUST_HINTS * this.deps.timings.pollMs
        )
          return true;
        this.times.readAgainLater(row, true);
        return false;
      });
    }
    await inParallel(READS, worthReading, async (row) => {
      options.onRead?.();
      if (this.times.isQuiet(connection.name)) return;
      const { end } = await this.readOne(connection, row, notes, options);
      if (end !== null) ends.push(end);
    });
  }

  /**
   * Whether it isn't known yet that the account's list shows publications soon: the facts that decide about a lost
   * create have to be learned before one is lost.
   */
  private async isListUnknown(account: string): Promise<boolean> {
    if (this.known.has(account)) return false;
    const { quickestMs } = await this.deps.ledger.listHabits(account);
    if (quickestMs === null || quickestMs > this.deps.timings.settleMs) return true;
    this.known.add(account);
    return false;
  }

  /** What the list shows about these rows. It stops when more pages would cost more than reading them one by one. */
  private async sweep(
    connection: AccountConnection,
    due: readonly InFlightRow[],
    notes: string[],
    options: { signal?: AbortSignal | undefined; onRead?: () => void },
  ): Promise<Map<string, Publication> | null> {
    const wanted = new Map(due.map((row) => [row.publicationId, Date.parse(row.since)]));
    const found = new Map<string, Publication>();
    const pages = Math.max(1, Math.ceil(due.length / 4));
    const { name } = connection;
    // Pages that another run has read since this one read the list are good enough, for half the time until these rows
    // are read again.
    let after = Math.max(this.deps.clock.evenTime() - this.times.intervalOf(due) / 2, this.reads.newest(name));
    let reading: ListReading | undefined;
    try {
      for (let page = 0, offset = 0; page < pages && found.size < wanted.size; page += 1) {
        options.onRead?.();
        const { page: list, begunAt } = await this.shared.read(connection, { offset, after, signal: options.signal });
        reading ??= this.reads.begin(name, begunAt);
        // Entries move down from page to page, never up.
        after = begunAt;
        const owned = new Map<string, number>();
        for (const publication of list.publications) {
          const since = wanted.get(publication.id);
          if (since === undefined) continue;
          reading.reached(since);
          found.set(publication.id, publication);
          owned.set(publication.id, since);
        }
        await learnFromList(this.deps.ledger, {
          account: name,
          shown: list.publications,
          owned,
          at: this.deps.now(),
          reading,
        });
        if (list.publications.length === 0) break;
        offset += list.publications.length;
      }
      return found;
    } catch (error) {
      if (!(error instanceof ServiceError) || options.signal?.aborted === true) throw error;
      // A list that can't be read says nothing about the publications: they are read by their ids.
      if (error.kind !== 'access' && error.kind !== 'throttled') return found;
      this.backOff(connection, error, notes);
      return null;
    }
  }

  /**
   * `answered`: the service returned the publication's status, or that it has none, or refused to say; without an
   * answer nothing is known about the row. `refusal`: why the id can't be read, however often it is requested.
   */
  private async readOne(
    connection: AccountConnection,
    row: InFlightRow,
    notes: string[],
    options: { signal?: AbortSignal | undefined },
  ): Promise<{ end: PublicationEnd | null; answered: boolean; refusal?: string }> {
    try {
      const publication = await connection.client.getPublication(row.publicationId, { signal: options.signal });
      const { status } = publication;
      this.times.wasRead(row, 0);
      if (status === 'published' || status === 'failed') {
        const values = await this.deps.ledger.requestedOf(row.rowId);
        const differences = status === 'failed' ? [] : differencesOf(values, publication);
        if (mayStillChange(this.deps, row, differences)) {
          // Soon, however old the publication is: its end is known, and only its values are still missing.
          this.times.wasRead(row, this.deps.now() + this.deps.timings.pollMs);
          return { end: null, answered: true };
        }
        if (await this.isDisputable(row, differences)) return { end: null, answered: true };
        await learnFromView(this.deps.ledger, row.account, publication);
        const end = { rowId: row.rowId, publicationId: row.publicationId, ...endOf(values, publication, status) };
        return { end, answered: true };
      }
      if (status !== row.status) {
        await this.deps.ledger.noteStatus(row.rowId, row.publicationId, status ?? 'none');
        if (status !== 'processing') notes.push(`row ${row.line}: the service shows status ${JSON.stringify(status)}`);
      }
      this.times.readAgainLater(row, true);
      return { end: null, answered: true };
    } catch (error) {
      if (!(error instanceof ServiceError) || options.signal?.aborted === true) throw error;
      this.times.readAgainLater(row, false);
      if (error.kind === 'not-found') {
        // Tolerated: a new publication may take a moment to appear. It is read until the deadline.
        await this.deps.ledger.noteStatus(row.rowId, row.publicationId, 'not found');
      } else if (error.kind === 'access' || error.kind === 'throttled') {
        this.backOff(connection, error, notes);
      }
      // An id such as `..` can't be part of a path, and one that is too long is refused: waiting changes neither.
      if ((error.sent === 'never' && error.kind === 'unreadable') || error.kind === 'refused')
        return { end: null, answered: true, refusal: error.message };
      return { end: null, answered: error.kind === 'not-found' };
    }
  }

  /**
   * A different title may mean that the service answered with another create's id. While a create that may be that one
   * is not settled, the row doesn't end: reconciling looks at both.
   */
  private async isDisputable(row: InFlightRow, differences: readonly Difference[]): Promise<boolean> {
    if (!differences.some(({ field }) => field === 'title') || Date.parse(row.deadline) <= this.deps.now())
      return false;
    if (!(await this.deps.ledger.hasUnsettledBefore(row.account, row.publicationId))) return false;
    this.times.readAgainLater(row, true);
    return true;
  }

  private backOff(connection: AccountConnection, error: ServiceError, notes: string[]): void {
    const asked = error.retryAfterMs ?? this.deps.timings.throttledMs;
    const ms = Math.min(asked, this.deps.timings.retryAfterMaxMs);
    this.times.quiet(connection.name, ms);
    notes.push(
      `account ${connection.name}: reading publications fails (${error.message}); again in ${Math.round(ms / 1000)} s`,
    );
  }

  /**
   * The deadline ends a row as `overdue` once a read shows that it is still processing; its id stays, and a later
   * command reads it again. While the service does not answer, nothing is known, so the row waits: an outage ends no
   * rows.
   */
  private async endOverdue(
    rows: readonly InFlightRow[],
    ends: PublicationEnd[],
    notes: string[],
    options: { signal?: AbortSignal | undefined },
  ): Promise<void> {
    const unread = (row: InFlightRow): void => {
      notes.push(
        `row ${row.line}: past its deadline ${row.deadline}, but the service can’t be read to find out how it ended`,
      );
    };
    await inParallel(
      READS,
      rows.filter((row) => this.times.isLate(row)),
      async (row) => {
        if (!this.times.mayReadLate(row)) {
          unread(row);
          return;
        }
        if (this.times.isQuiet(row.account)) return;
        const connection = usableAccount(this.deps, row.account);
        // Without access to the account, nothing is known about its rows.
        if (connection === null) return;
        const { end, answered, refusal } = await this.readOne(connection, row, notes, options);
        if (end !== null) ends.push(end);
        else if (answered) ends.push(overdue(row, refusal));
        else unread(row);
      },
    );
  }
}

function overdue(row: InFlightRow, refusal: string | undefined): PublicationEnd {
  const why = refusal === undefined ? '' : `; ${refusal}`;
  return {
    rowId: row.rowId,
    publicationId: row.publicationId,
    state: 'overdue',
    status: row.status,
    code: 'deadline',
    message: `still ${row.status} at its deadline ${row.deadline}${why}`,
  };
}
