import { channelLabel } from '../../ledger/model/labels';
import { BASELINE_IDS } from '../../ledger/runs/baselines';
import { type ListScan, type RunInfo, type RunRef, type UnsettledAttempt } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { ServiceError } from '../../service/errors';
import { byAccount } from '../by-account';
import { usableAccount } from '../usable-account';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';
import { type ListHabits } from '../../ledger/publications/list-habits';
import { OTHERS_ID } from '../../ledger/attempts/record';
import { WORKER_SILENT } from '../../ledger/attempts/settle';
import { unlearn } from '../compare/learn-habits';
import { type ListReads } from '../follow/list-reads';
import { FILE_CHANGED } from '../publish/failure-table';
import {
  type AttemptFacts,
  type AccountEvidence,
  type AnsweredCreate,
  type Candidate,
  decide,
  type Decision,
  giveUpMsOf,
  type LostCreate,
  settleMsOf,
  weighAccount,
} from './decide';
import { withDetails } from './details';
import { directRivals } from './direct-rivals';
import { type Between, type ScannedList, scanList } from './list-scan';
import { servedMs, settlingOf } from './settling';

/** Details fetched one by one in a scan, where the list shows no title. */
const MAX_DETAILS = 20;
const MAX_CANDIDATES = 50;

export interface ReconcileReport {
  /** Attempts that are still not settled. */
  left: number;
  /** Channels, by label, of the rows that went back to be created again: one for each row. */
  repeated: string[];
  /** ms since the epoch: when to come again; null when nothing is left. */
  nextAt: number | null;
  /** For people. */
  notes: string[];
}

interface SettleOptions {
  signal?: AbortSignal | undefined;
  onPage?: (() => void) | undefined;
}

/**
 * Settles the run's creates whose answer was lost: ends attempts whose worker is proven dead, scans the account's
 * list when it is time to, and carries out what `decide` says.
 */
export class AttemptReconciler {
  /** By attempt: when to scan the list for it next, by the monotonic clock. */
  private readonly nextScan = new Map<string, number>();
  /** By worker: the last time it wrote, for which its silence is measured. */
  private readonly silentSince = new Map<string, string>();
  /** Attempts that nobody waits for any more: their worker fell silent, or their answer was lost. */
  private readonly abandoned = new Map<string, UnsettledAttempt>();

  constructor(
    private readonly deps: ActivityDeps,
    private readonly reads: ListReads,
  ) {}

  async settle(run: RunRef, info: RunInfo, options: SettleOptions = {}): Promise<ReconcileReport> {
    const notes: string[] = [];
    const found = await this.deps.ledger.unsettled(run);
    const ended = await this.endDead(found, notes);
    const attempts = await this.giveUpDirect(ended ? await this.deps.ledger.unsettled(run) : found);
    const report: ReconcileReport = { left: 0, repeated: await this.wentBack(attempts), nextAt: null, notes };
    for (const [account, group] of byAccount(attempts)) {
      const over = group.filter((attempt) => attempt.endedAt !== null);
      const due = Math.min(...over.map((attempt) => this.nextScan.get(keyOf(attempt)) ?? 0));
      let settled = 0;
      if (over.length > 0 && due <= this.deps.clock.now()) {
        settled = await this.settleAccount(run, info, account, group, report, options);
      }
      report.left += group.length - settled;
      if (group.length > settled) {
        const next = over.map((attempt) => this.nextScan.get(keyOf(attempt))).filter((at) => at !== undefined);
        const inMs = Math.min(...next.map((at) => at - this.deps.clock.now()), this.deps.timings.lookGapMs);
        const at = this.deps.now() + inMs;
        report.nextAt = report.nextAt === null ? at : Math.min(report.nextAt, at);
      }
    }
    return report;
  }

  /**
   * The channel of an attempt that it gave up isn't told when the worker answers after all that nothing was sent. Gives
   * the labels of those channels, for rows that are due again; what is settled here is told anyway.
   */
  private async wentBack(attempts: readonly UnsettledAttempt[]): Promise<string[]> {
    const { ledger, timings, now } = this.deps;
    const still = new Set(attempts.map(keyOf));
    const gone = [...this.abandoned].filter(([key]) => !still.has(key));
    const back = await ledger.unsent(gone.map(([, { rowId }]) => rowId));
    const labels: string[] = [];
    for (const [key, { rowId, values }] of gone) {
      const readyAt = back.get(rowId);
      if (readyAt !== undefined && readyAt > now()) continue;
      this.abandoned.delete(key);
      if (readyAt !== undefined) labels.push(channelLabel(values));
    }
    for (const attempt of attempts) {
      const silent = now() - Date.parse(attempt.workerSeenAt) > timings.silentAfterMs;
      if (silent || attempt.endedAt !== null) this.abandoned.set(keyOf(attempt), attempt);
    }
    return labels;
  }

  /** A direct publish is no publication that a list could show: with nothing to look at, a lost answer stays lost. */
  private async giveUpDirect(attempts: readonly UnsettledAttempt[]): Promise<UnsettledAttempt[]> {
    const left: UnsettledAttempt[] = [];
    for (const attempt of attempts) {
      if (attempt.values.via !== 'direct' || attempt.endedAt === null) {
        left.push(attempt);
        continue;
      }
      await this.deps.ledger.settle(attempt.rowId, attempt.attempt, {
        kind: 'unconfirmed',
        code: 'direct-unread',
        message: 'the answer to a direct publish was lost, and its outcome can’t be read: look at the channel',
        candidates: [],
      });
    }
    return left;
  }

  /**
   * Only a proven death ends an attempt that its worker did not end; a silent worker is shown, then left to a person.
   * Returns whether the ledger has changed.
   */
  private async endDead(attempts: readonly UnsettledAttempt[], notes: string[]): Promise<boolean> {
    const { ledger, timings, worker } = this.deps;
    const silent = new Map<string, number>();
    let changed = false;
    for (const attempt of attempts) {
      if (attempt.endedAt !== null || attempt.worker.id === worker.id) continue;
      if (this.deps.processState(attempt.worker) === 'dead') {
        await ledger.endDeadAttempt(attempt.rowId, attempt.attempt);
        changed = true;
        continue;
      }
      const silentMs = this.deps.now() - Date.parse(attempt.workerSeenAt);
      if (this.silentForMs(attempt) > timings.silentUnconfirmedMs) {
        await ledger.settle(attempt.rowId, attempt.attempt, {
          kind: 'unconfirmed',
          code: WORKER_SILENT,
          message: `its worker (process ${attempt.worker.pid}) has been silent since ${attempt.workerSeenAt} and may have sent it`,
          candidates: [],
        });
        changed = true;
      } else if (silentMs > timings.silentAfterMs) {
        silent.set(attempt.workerSeenAt, (silent.get(attempt.workerSeenAt) ?? 0) + 1);
      }
    }
    for (const [since, count] of silent) notes.push(`worker silent since ${since}: ${count} row(s) wait for it`);
    return changed;
  }

  /** How long a worker has written nothing while this process ran, by a clock that can't be set. */
  private silentForMs({ worker, workerSeenAt }: UnsettledAttempt): number {
    const { clock } = this.deps;
    const before = this.silentSince.get(worker.id);
    if (before !== undefined && before !== workerSeenAt) clock.forget(pulseOf(worker.id, before));
    this.silentSince.set(worker.id, workerSeenAt);
    return clock.elapsed(pulseOf(worker.id, workerSeenAt));
  }

  /** One scan of the account's list, then a decision for each attempt that is over. Returns how many were settled. */
  private async settleAccount(
    run: RunRef,
    info: RunInfo,
    account: string,
    group: readonly UnsettledAttempt[],
    report: ReconcileReport,
    options: SettleOptions,
  ): Promise<number> {
    const { ledger, timings, now, clock } = this.deps;
    const over = group.filter((attempt) => attempt.endedAt !== null);
    // Without a key the list can't be read either, and the time for that is the same.
    const connection = usableAccount(this.deps, account, report.notes);
    const elapsed = new Map(over.map((attempt) => [keyOf(attempt), clock.elapsed(keyOf(attempt))]));
    const habits = await ledger.listHabits(account);
    const scanned = connection === null ? null : await this.scan(connection, over, habits, report.notes, options);
    const seen = scanned === null ? NOTHING_SEEN : await this.weigh(run, info, account, scanned, group);
    let settled = 0;
    for (const attempt of over) {
      const key = keyOf(attempt);
      const candidates = likeliest(seen.evidence.candidates.get(key) ?? [], attempt, seen.between);
      const before = attempt.scans.at(-1);
      const elapsedMs = Math.max(elapsed.get(key) ?? 0, servedMs(attempt.scans, scanned));
      const { channelId, refused } = attempt;
      // The service's own refusal speaks for absence too: less has to be known of the list then.
      const listProven = await ledger.seenInList(refused === null ? { channelId } : { account });
      const settleMs = settleMsOf(settlingOf(attempt, listProven), habits, timings);
      const scan: ListScan = {
        at: new Date(scanned?.at ?? now()).toISOString(),
        servedAt: scanned?.servedAt ?? null,
        candidates: scanned === null ? (before?.candidates ?? []) : candidates.map(({ id }) => id),
        full: scanned?.full ?? false,
        current: scanned?.current ?? false,
        settled: elapsedMs >= settleMs,
      };
      if (scanned !== null) await ledger.addScan(attempt.rowId, attempt.attempt, scan);
      const facts: AttemptFacts = {
        over: true,
        refused: attempt.refused,
        repeatable: attempt.values.status === 'published' && attempt.code !== OTHERS_ID,
        ambiguous: info.settings?.ambiguous ?? 'reconcile',
        elapsedMs,
        waitedMs: Math.max(elapsedMs, now() - Date.parse(attempt.endedAt ?? '')),
        settleMs,
        giveUpMs: giveUpMsOf(settleMs, timings),
        scans: [...attempt.scans, scan],
        listProven,
      };
      const evidence = { ...seen.evidence, candidates: new Map([[key, candidates]]) };
      const decision = decide(key, facts, { exclusive: connection?.exclusive ?? false, evidence }, timings);
      if (await this.carryOut(attempt, decision, seen)) settled += 1;
      if (decision.kind === 'repeat') report.repeated.push(channelLabel(attempt.values));
    }
    return settled;
  }

  /** Null when the list can't be read now. */
  private async scan(
    connection: AccountConnection,
    over: readonly UnsettledAttempt[],
    habits: ListHabits,
    notes: string[],
    options: SettleOptions,
  ): Promise<ScannedList | null> {
    const { ledger, now } = this.deps;
    const account = connection.name;
    const since = Math.min(...over.map((attempt) => attempt.sequence));
    const mine = new Set(over.map(keyOf));
    const claimed = (await ledger.lostAttempts(account, 0)).filter((one) => mine.has(keyOf(one)));
    try {
      const scanned = await scanList(
        { ledger, client: connection.client, now, onPage: options.onPage },
        {
          account,
          knownBefore: idsInAll(claimed.map((one) => one.knownBefore ?? [])),
          since,
          habits,
          reading: this.reads.begin(account, now()),
          signal: options.signal,
        },
      );
      const details = { limit: MAX_DETAILS, signal: options.signal };
      return { ...scanned, unowned: await withDetails(connection.client, scanned.unowned, details) };
    } catch (error) {
      if (!(error instanceof ServiceError) || options.signal?.aborted === true) throw error;
      notes.push(`account ${account}: its list can’t be read (${error.message})`);
      return null;
    }
  }

  /**
   * What the scanned publications come to. The account's lost creates are read first and the owners after them: an answer
   * that arrives in between is then both, a claimant and an owner, and never neither.
   */
  private async weigh(
    run: RunRef,
    info: RunInfo,
    account: string,
    scanned: ScannedList,
    group: readonly UnsettledAttempt[],
  ): Promise<WeighedAccount> {
    const { ledger } = this.deps;
    const baseline = await ledger.baseline(run, account);
    const since = Math.min(
      Date.parse(baseline?.takenAt ?? info.startedAt),
      ...group.map((attempt) => Date.parse(attempt.claimedAt)),
    );
    const attempts = await ledger.lostAttempts(account, since);
    const owned = await ledger.owned(
      account,
      scanned.unowned.map(({ id }) => id),
    );
    const free = scanned.unowned.filter(({ id }) => !owned.has(id));
    const direct = free.length === 0 ? [] : await ledger.directPublishes(account, info.startedAt);
    const { others, claimants } = directRivals(direct, free);
    const lost = attempts
      .filter(({ values }) => values.via !== 'direct')
      .map((one): LostCreate => ({
        id: keyOf(one),
        values: one.values,
        knownBefore: one.knownBefore === null ? null : new Set(one.knownBefore),
        // A shorter one was the whole list.
        ...((one.knownBefore?.length ?? 0) < BASELINE_IDS ? {} : { mayBeOlder: scanned.belowKnown }),
      }));
    const habits = await ledger.listHabits(account);
    const answered = await this.answeredCreates(account, scanned, group);
    const evidence = weighAccount({ lost: [...lost, ...claimants], unowned: others, answered, habits });
    return { evidence, shown: [...others, ...scanned.answered], between: scanned.between };
  }

  /** What rows were answered with since the lost creates were claimed, with what the list shows of it. */
  private async answeredCreates(
    account: string,
    scanned: ScannedList,
    group: readonly UnsettledAttempt[],
  ): Promise<AnsweredCreate[]> {
    const shown = new Map(scanned.answered.map((one) => [one.id, one]));
    const answered = await this.deps.ledger.answeredWith(account, [...shown.keys()]);
    const found: AnsweredCreate[] = [];
    for (const { publicationId, values, claimedAt, ended, ...row } of answered) {
      const publication = shown.get(publicationId);
      if (publication === undefined) continue;
      const before = group.some(({ scans }) =>
        scans.some(({ at, candidates }) => Date.parse(at) < claimedAt && candidates.includes(publicationId)),
      );
      const knownBefore = new Set(before ? [publicationId] : []);
      found.push({ publication, create: { id: keyOf(row), values, knownBefore }, rowId: row.rowId, ended });
    }
    return found;
  }

  private async carryOut(
    attempt: UnsettledAttempt,
    decision: Decision,
    { shown, evidence }: WeighedAccount,
  ): Promise<boolean> {
    const { ledger } = this.deps;
    const { rowId, attempt: number } = attempt;
    switch (decision.kind) {
      case 'wait':
        this.nextScan.set(keyOf(attempt), this.deps.clock.now() + decision.forMs);
        return false;
      case 'adopt': {
        const publication = shown.find((each) => each.id === decision.publicationId);
        const disputed = evidence.disputed.get(decision.publicationId);
        const state = await ledger.settle(rowId, number, {
          kind: 'adopt',
          publicationId: decision.publicationId,
          status: publication?.status ?? 'unknown',
          ...(disputed === undefined ? {} : { takenFrom: disputed.rowId }),
        });
        // Another row got it meanwhile.
        if (state === 'creating') return false;
        if (disputed !== undefined) {
          const { create, publication } = disputed;
          await unlearn(ledger, attempt.account, { values: create.values, publication });
        }
        break;
      }
      case 'repeat':
        await ledger.settle(rowId, number, decision);
        break;
      case 'unconfirmed':
        await ledger.settle(rowId, number, { ...decision, message: withFileChange(attempt, decision.message) });
        break;
    }
    this.nextScan.delete(keyOf(attempt));
    this.abandoned.delete(keyOf(attempt));
    this.deps.clock.forget(keyOf(attempt));
    this.deps.log.info(`a lost create was settled: ${decision.kind}`, {
      channel: channelLabel(attempt.values),
      row: attempt.line,
      key: attempt.key,
      ...(decision.kind === 'adopt' ? { publication: decision.publicationId } : {}),
    });
    return true;
  }
}

/** That the file changed while it was sent is the cause to fix, whatever the search for the publication ends with. */
function withFileChange({ code, message }: UnsettledAttempt, found: string): string {
  return code === FILE_CHANGED && message !== null ? `${message}; ${found}` : found;
}

interface WeighedAccount {
  evidence: AccountEvidence;
  shown: readonly Publication[];
  between: ReadonlyMap<string, Between>;
}

const NOTHING_SEEN: WeighedAccount = {
  evidence: { assigned: new Map(), candidates: new Map(), claimants: new Map(), disputed: new Map() },
  shown: [],
  between: new Map(),
};

/** Ids that every one of these lists has. */
function idsInAll(lists: readonly (readonly string[])[]): Set<string> {
  const [first = [], ...others] = lists;
  const sets = others.map((ids) => new Set(ids));
  return new Set(first.filter((id) => sets.every((ids) => ids.has(id))));
}

/** What is certainly its own first, then what appeared in the list while it was made, by the own publications around it. */
function likeliest(
  candidates: readonly Candidate[],
  attempt: UnsettledAttempt,
  between: ReadonlyMap<string, Between>,
): Candidate[] {
  const from = Date.parse(attempt.claimedAt);
  const to = Date.parse(attempt.endedAt ?? attempt.claimedAt);
  const apart = ({ id, evidence }: Candidate): number => {
    if (evidence.match === 'certainly') return -1;
    const { after, before } = between.get(id) ?? { after: -Infinity, before: Infinity };
    return Math.max(after - to, from - before, 0);
  };
  return [...candidates].sort((a, b) => apart(a) - apart(b)).slice(0, MAX_CANDIDATES);
}

function pulseOf(worker: string, seenAt: string): string {
  return `worker ${worker} at ${seenAt}`;
}

function keyOf(attempt: Pick<UnsettledAttempt, 'rowId' | 'attempt'>): string {
  return `${attempt.rowId}/${attempt.attempt}`;
}
