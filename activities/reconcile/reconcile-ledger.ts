import { type MaintainingLedger } from '../../ledger/interfaces/maintaining';
import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type UnownedPublication } from '../../ledger/maintenance/rolled-back';
import { type ListScan } from '../../ledger/model/attempt-types';
import { type Publication } from '../../service/api/publication';
import { type AccountConnection } from '../../service/accounts';
import { ListReads } from '../follow/list-reads';
import { type Timings } from '../timings';
import { type AttemptClock } from './attempt-clock';
import { keyOf } from './attempt-key';
import { agree, type AttemptFacts, decide, type Decision, giveUpMsOf, settleMsOf } from './decide';
import { withDetails } from './details';
import { directRivals } from './direct-rivals';
import { scanList } from './list-scan';
import { type AccountEvidence, type LostCreate, weighAccount } from './weigh-account';

interface LedgerComparisonDeps {
  ledger: MaintainingLedger & ReconcilingLedger;
  connection: AccountConnection;
  timings: Pick<Timings, 'settleMs' | 'settleUploadMs' | 'lookGapMs' | 'reconcileForMs'>;
  clock: AttemptClock;
  now: () => number;
  onPage?: (() => void) | undefined;
}

export interface LedgerReconciliation {
  /** Publications of the account that no row owns, and that are no known direct publish. */
  unowned: number;
  /** Rows that certainly are one of them. */
  adopted: number;
  /** Rows that may have been sent: a person decides. */
  unconfirmed: number;
  /** Those of the unowned that still have no row, as the ledger stores them for rows that are imported later. */
  strays: UnownedPublication[];
}

/** Number of details fetched individually, if the list shows no title. */
const MAX_DETAILS = 500;
const MAX_CANDIDATES = 50;
const ANY_TIME = 0;

/** What the newest scan showed, weighed. */
interface Seen {
  shown: readonly Publication[];
  evidence: AccountEvidence;
  decisions: ReadonlyMap<number, Decision>;
}

/**
 * Compares an account's list (section 4.4) with the rows that a rolled-back ledger has as unsent. Each of them may have
 * been sent in the time that the ledger lost, so it is decided like a create whose answer was lost: it gets a
 * publication that is certainly its own, may be sent again only if the list proves that it wasn't sent, and is left to
 * a person otherwise. No worker may run meanwhile.
 */
export class LedgerComparison {
  private readonly timed: string;
  private readonly reads: ListReads;
  private readonly scans: ListScan[] = [];
  /** The same by row, each with its own candidates. */
  private readonly scansOf = new Map<number, readonly ListScan[]>();
  private seen: Seen = { shown: [], evidence: NOTHING_WEIGHED, decisions: new Map() };

  constructor(private readonly deps: LedgerComparisonDeps) {
    this.timed = `ledger at ${deps.connection.name}`;
    this.reads = new ListReads(deps.clock);
  }

  /**
   * One scan of the list. Returns the time (ms) until the next one is due, null if the rows can be settled.
   * @throws ServiceError if the list can't be read
   */
  async look(): Promise<number | null> {
    const { ledger, connection, timings, clock, now } = this.deps;
    const account = connection.name;
    const elapsedMs = clock.elapsed(this.timed);
    const { scanned, shown, claimants } = await this.readUnowned();
    const rows = await ledger.possiblySent(account);
    const habits = await ledger.listHabits(account);
    const lost = rows.map(({ rowId, values }) => ({ id: String(rowId), values, knownBefore: new Set<string>() }));
    const evidence = weighAccount({ lost: [...lost, ...claimants], unowned: shown, habits });
    const proven = await ledger.channelsInList(account);
    for (const { rowId, channelId } of rows) if (evidence.assigned.has(String(rowId))) proven.add(channelId);

    const settleMsFor = (upload: boolean): number =>
      settleMsOf({ upload, refused: null, waitMs: 0, listProven: false }, habits, timings);
    const scanOf = (settleMs: number, candidates: readonly string[]): ListScan => ({
      at: new Date(now()).toISOString(),
      servedAt: scanned.servedAt,
      candidates: [...candidates],
      full: scanned.full,
      current: scanned.current,
      settled: elapsedMs >= settleMs,
    });
    const decisions = new Map<number, Decision>();
    for (const row of rows) {
      const id = String(row.rowId);
      const settleMs = settleMsFor(row.values.sourceKind === 'file');
      const candidates = (evidence.candidates.get(id) ?? []).map((one) => one.id);
      const scans = [...(this.scansOf.get(row.rowId) ?? []), scanOf(settleMs, candidates)].slice(-2);
      this.scansOf.set(row.rowId, scans);
      const facts: AttemptFacts = {
        over: true,
        // Sent again only if a person retries it.
        refused: row.state === 'failed' || row.state === 'rejected' ? 'row' : null,
        repeatable: row.values.status === 'published' && row.values.via !== 'direct',
        ambiguous: row.ambiguous,
        elapsedMs,
        waitedMs: elapsedMs,
        settleMs,
        // Nothing is created meanwhile: scans that agree don't change any more.
        giveUpMs: agree(scans) ? settleMs : giveUpMsOf(settleMs, timings),
        scans,
        listProven: proven.has(row.channelId),
      };
      decisions.set(row.rowId, decide(id, facts, { evidence, exclusive: connection.exclusive }, timings));
    }
    this.seen = { shown, evidence, decisions };

    const settleMs = settleMsFor(rows.some(({ values }) => values.sourceKind === 'file'));
    this.scans.push(scanOf(settleMs, []));
    const left = [...decisions.values()].flatMap((one) => (one.kind === 'wait' ? [one.forMs] : []));
    const isTimeUp = elapsedMs >= giveUpMsOf(settleMs, timings);
    if (left.length === 0 && (agree(this.scans) || isTimeUp)) return null;
    return Math.max(timings.lookGapMs, Math.min(...left, settleMs - elapsedMs));
  }

  /** False if entries vanished while the list was read for the last time, so that some may have been missed. */
  get isFull(): boolean {
    return this.scans.at(-1)?.full === true;
  }

  /** Records in the ledger what the scans have shown. */
  async settle(by: string): Promise<LedgerReconciliation> {
    const { ledger, connection } = this.deps;
    const { shown, decisions } = this.seen;
    const report: LedgerReconciliation = { unowned: shown.length, adopted: 0, unconfirmed: 0, strays: [] };
    const adopted = new Set<string>();
    for (const [rowId, decision] of decisions) {
      if (decision.kind === 'adopt') {
        const { publicationId } = decision;
        const status = shown.find((one) => one.id === publicationId)?.status ?? 'unknown';
        await ledger.markPossiblySent({ rowId, by, verdict: { kind: 'adopt', publicationId, status } });
        adopted.add(publicationId);
      } else if (decision.kind === 'unconfirmed') {
        const candidates = decision.candidates.slice(0, MAX_CANDIDATES);
        await ledger.markPossiblySent({ rowId, by, verdict: { kind: 'ask', candidates, why: decision.message } });
        report.unconfirmed += 1;
      }
    }
    report.adopted = adopted.size;
    const { older } = await ledger.rollbackFacts(connection.name);
    report.strays = shown
      // Without a title it could be any row's that is sent later, so it counts only if it may be from the lost time.
      .filter(({ id, title }) => !adopted.has(id) && (title !== undefined || !older.has(id)))
      .map((one) => ({
        account: connection.name,
        publication_id: one.id,
        platform: one.platform,
        profile_id: one.profileId ?? null,
        title: one.title ?? null,
      }));
    return report;
  }

  /**
   * The account's publications that no row has, with what is shown of them, and the other creates that may have made
   * them. Those that the service lists under the id of a direct publish, acknowledged by it or named by a person, are
   * known and don't belong to any other row.
   */
  private async readUnowned() {
    const { ledger, connection, now, onPage } = this.deps;
    const account = connection.name;
    const scanned = await scanList(
      { ledger, client: connection.client, now, onPage },
      {
        account,
        knownBefore: new Set(),
        // Whatever is looked for was claimed after the copy was made.
        since: await ledger.sequence(),
        habits: await ledger.listHabits(account),
        reading: this.reads.begin(account),
      },
    );
    const direct = scanned.unowned.length === 0 ? [] : await ledger.directPublishes(account, ANY_TIME);
    const { others, claimants } = directRivals(direct, scanned.unowned);
    const shown = await withDetails(connection.client, others, { limit: MAX_DETAILS });
    const lost = (await ledger.lostAttempts(account, ANY_TIME))
      .filter(({ values }) => values.via !== 'direct')
      .map((one): LostCreate => ({
        id: keyOf(one),
        values: one.values,
        knownBefore: one.knownBefore === null ? null : new Set(one.knownBefore),
      }));
    return { scanned, shown, claimants: [...claimants, ...lost] };
  }
}

const NOTHING_WEIGHED: AccountEvidence = {
  assigned: new Map(),
  candidates: new Map(),
  claimants: new Map(),
  disputed: new Map(),
};
