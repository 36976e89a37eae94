import { channelLabel } from '../../ledger/model/labels';
import { type ListScan, type UnsettledAttempt } from '../../ledger/model/attempt-types';
import { type RunInfo, type RunRef } from '../../ledger/model/types';
import { byAccount } from '../accounts/by-account';
import { usableAccount } from '../accounts/usable-account';
import { type ActivityDeps } from '../deps';
import { OTHERS_ID } from '../../ledger/attempts/others-publication';
import { unlearn } from '../compare/learn-habits';
import { type ListReads } from '../follow/list-reads';
import { FILE_CHANGED } from '../publish/failure-table';
import { NOTHING_SEEN, scanAccount, type ScanOptions, type WeighedAccount, weighScan } from './account-facts';
import { keyOf } from './attempt-key';
import { type Candidate } from './weigh-account';
import { type AttemptFacts, decide, type Decision, giveUpMsOf, settleMsOf } from './decide';
import { type Between } from './list-scan';
import { LostWorkers } from './lost-workers';
import { servedMs, settlingOf } from './settling';

const MAX_CANDIDATES = 50;

export interface ReconcileReport {
  /** Attempts that are still not settled. */
  left: number;
  /** Channels, by id, of the rows that were returned to be created again: one entry per row. */
  repeated: string[];
  /** ms since the epoch: when to continue; null if nothing is left. */
  nextAt: number | null;
  /** For people. */
  notes: string[];
}

/**
 * Settles the run's creates whose answer was lost: ends attempts whose worker is proven dead, scans the account's list
 * when it is due, and carries out what `decide` returns.
 */
export class AttemptReconciler {
  /** By attempt: when to scan the list for it next, by the monotonic clock. */
  private readonly nextScan = new Map<string, number>();
  private readonly lostWorkers: LostWorkers;
  /** Attempts that no activity waits for any more: their worker fell silent, or their answer was lost. */
  private readonly abandoned = new Map<string, UnsettledAttempt>();

  constructor(
    private readonly deps: ActivityDeps,
    private readonly reads: ListReads,
  ) {
    this.lostWorkers = new LostWorkers(deps);
  }

  async settle(run: RunRef, info: RunInfo, options: ScanOptions = {}): Promise<ReconcileReport> {
    const notes: string[] = [];
    const found = await this.deps.ledger.unsettled(run);
    const ended = await this.lostWorkers.endDead(found, notes);
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
   * The channel of an attempt that was given up isn't notified if the worker answers after all that nothing was sent.
   * Returns the labels of those channels, for rows that are due again; attempts that are settled here notify their
   * channel anyway.
   */
  private async wentBack(attempts: readonly UnsettledAttempt[]): Promise<string[]> {
    const { ledger, timings, now } = this.deps;
    const still = new Set(attempts.map(keyOf));
    const gone = [...this.abandoned].filter(([key]) => !still.has(key));
    const back = await ledger.unsent(gone.map(([, { rowId }]) => rowId));
    const channels: string[] = [];
    for (const [key, { rowId, channel }] of gone) {
      const readyAt = back.get(rowId);
      if (readyAt !== undefined && readyAt > now()) continue;
      this.abandoned.delete(key);
      if (readyAt !== undefined) channels.push(channel);
    }
    for (const attempt of attempts) {
      const silent = now() - Date.parse(attempt.workerSeenAt) > timings.silentAfterMs;
      if (silent || attempt.endedAt !== null) this.abandoned.set(keyOf(attempt), attempt);
    }
    return channels;
  }

  /**
   * A direct publish is not a publication that a list could show: there is nothing to look for, so a lost answer stays
   * lost.
   */
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
        message: 'the answer to a direct publish was lost, and its outcome can’t be read: check the channel',
        candidates: [],
      });
    }
    return left;
  }

  /** One scan of the account's list, then a decision for each attempt that is over. Returns how many were settled. */
  private async settleAccount(
    run: RunRef,
    info: RunInfo,
    account: string,
    group: readonly UnsettledAttempt[],
    report: ReconcileReport,
    options: ScanOptions,
  ): Promise<number> {
    const { ledger, timings, now, clock } = this.deps;
    const over = group.filter((attempt) => attempt.endedAt !== null);
    // Without a key the list can't be read either, and the same time limit applies.
    const connection = usableAccount(this.deps, account, report.notes);
    const elapsed = new Map(over.map((attempt) => [keyOf(attempt), clock.elapsed(keyOf(attempt))]));
    const habits = await ledger.listHabits(account);
    const { reads } = this;
    const { notes } = report;
    const scanned =
      connection === null
        ? null
        : await scanAccount(this.deps, { connection, attempts: over, habits, reads, notes }, options);
    const seen = scanned === null ? NOTHING_SEEN : await weighScan(ledger, { run, info, account, scanned, group });
    let settled = 0;
    for (const attempt of over) {
      const key = keyOf(attempt);
      const candidates = likeliest(seen.evidence.candidates.get(key) ?? [], attempt, seen.between);
      const before = attempt.scans.at(-1);
      const elapsedMs = Math.max(elapsed.get(key) ?? 0, servedMs(attempt.scans, scanned));
      const { channelId, refused } = attempt;
      // The service's own refusal is evidence of absence too: fewer facts about the list are needed then.
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
      if (decision.kind === 'repeat') report.repeated.push(attempt.channel);
    }
    return settled;
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

/** That the file changed while it was sent is the cause to fix, whatever the result of the search for the publication. */
function withFileChange({ code, message }: UnsettledAttempt, found: string): string {
  return code === FILE_CHANGED && message !== null ? `${message}; ${found}` : found;
}

/**
 * Publications that are certainly its own first, then those that appeared in the list while it was created, according
 * to the own publications around them.
 */
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
