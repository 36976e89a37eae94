import { channelLabel } from '../../ledger/model/labels';
import { type RunInfo, type RunRef, type UnsettledAttempt } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { ServiceError } from '../../service/errors';
import { byAccount } from '../by-account';
import { usableAccount } from '../usable-account';
import { type AccountConnection, type ActivityDeps } from '../deps';
import { type ListReads } from '../follow/list-reads';
import { type AttemptFacts, decide, type Decision } from './decide';
import { withDetails } from './details';
import { directRivals } from './direct-rivals';
import { type Evidence, idsThat } from './evidence';
import { type Between, type ListLook, lookAtList } from './look';

/** Details fetched one by one in a look, where the list shows too little. */
const MAX_DETAILS = 20;
const MAX_CANDIDATES = 50;

export interface SettleReport {
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
 * Settles the run's creates whose answer was lost: ends attempts whose worker is proven dead, looks at the account's
 * list when it is time to, and carries out what `decide` says.
 */
export class AttemptSettler {
  private readonly nextLook = new Map<string, number>();
  /** Attempts that nobody waits for any more: their worker fell silent, or their answer was lost. */
  private readonly abandoned = new Map<string, UnsettledAttempt>();

  constructor(
    private readonly deps: ActivityDeps,
    private readonly reads: ListReads,
  ) {}

  async settle(run: RunRef, info: RunInfo, options: SettleOptions = {}): Promise<SettleReport> {
    const notes: string[] = [];
    const found = await this.deps.ledger.unsettled(run);
    const ended = await this.endDead(found, notes);
    const attempts = await this.giveUpDirect(ended ? await this.deps.ledger.unsettled(run) : found);
    const report: SettleReport = { left: 0, repeated: await this.wentBack(attempts), nextAt: null, notes };
    for (const [account, group] of byAccount(attempts)) {
      const over = group.filter((attempt) => attempt.endedAt !== null);
      const due = Math.min(...over.map((attempt) => this.nextLook.get(keyOf(attempt)) ?? 0));
      let settled = 0;
      if (over.length > 0 && due <= this.deps.now()) {
        settled = await this.settleAccount(run, info, account, group, report, options);
      }
      report.left += group.length - settled;
      if (group.length > settled) {
        const next = over.map((attempt) => this.nextLook.get(keyOf(attempt))).filter((at) => at !== undefined);
        const at = Math.min(...next, this.deps.now() + this.deps.timings.lookGapMs);
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
      if (this.deps.judge(attempt.worker) === 'dead') {
        await ledger.endDeadAttempt(attempt.rowId, attempt.attempt);
        changed = true;
        continue;
      }
      const silentMs = this.deps.now() - Date.parse(attempt.workerSeenAt);
      if (silentMs > timings.silentUnconfirmedMs) {
        await ledger.settle(attempt.rowId, attempt.attempt, {
          kind: 'unconfirmed',
          code: 'worker-silent',
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

  /** One look at the account's list, then a decision for each attempt that is over. Returns how many were settled. */
  private async settleAccount(
    run: RunRef,
    info: RunInfo,
    account: string,
    group: readonly UnsettledAttempt[],
    report: SettleReport,
    options: SettleOptions,
  ): Promise<number> {
    const { ledger, timings, now } = this.deps;
    const over = group.filter((attempt) => attempt.endedAt !== null);
    const connection = usableAccount(this.deps, account, report.notes);
    if (connection === null) {
      for (const attempt of over) this.nextLook.set(keyOf(attempt), now() + timings.throttledMs);
      return 0;
    }
    const seen = await this.look(run, connection, group, report.notes, options);
    if (seen === null) {
      for (const attempt of over) this.nextLook.set(keyOf(attempt), now() + timings.lookGapMs);
      return 0;
    }
    const visibility = await ledger.visibility(account);
    const unsettledOnAccount = await ledger.unsettledOnAccount(account);
    const taken = new Set<string>();
    const direct = seen.unowned.length === 0 ? [] : await ledger.directPublishes(account, info.startedAt);
    const { others, rivalsFor } = directRivals(direct, seen.unowned);
    let settled = 0;
    for (const attempt of over) {
      const open = others.filter((publication) => !taken.has(publication.id));
      const matches = idsOf('match', attempt, open);
      const possibles = nearestFirst(idsOf('possible', attempt, open), attempt, seen.between).slice(0, MAX_CANDIDATES);
      const candidates = [...matches, ...possibles].slice(0, MAX_CANDIDATES);
      const look = { at: new Date(seen.at).toISOString(), candidates, full: seen.full };
      await ledger.addLook(attempt.rowId, attempt.attempt, look);
      const facts: AttemptFacts = {
        now: now(),
        endedAt: Date.parse(attempt.endedAt ?? ''),
        notBefore: attempt.notBefore === null ? null : Date.parse(attempt.notBefore),
        upload: attempt.values.sourceKind === 'file',
        repeatable: attempt.values.status !== 'draft' && attempt.values.via !== 'direct',
        looks: [...attempt.looks, look],
        matches,
        possibles,
        rivals: group.filter((other) => other !== attempt && fits(other, matches, open)).length + rivalsFor(matches),
        unsettledOnAccount,
        exclusive: connection.exclusive && rivalsFor(possibles) === 0,
        ambiguous: info.settings?.ambiguous ?? 'reconcile',
        visibility,
      };
      const decision = decide(facts, timings);
      if (await this.carryOut(attempt, decision, open)) settled += 1;
      if (decision.kind === 'adopt') taken.add(decision.publicationId);
      if (decision.kind === 'repeat') report.repeated.push(channelLabel(attempt.values));
    }
    return settled;
  }

  /** Null when the list can't be read now. */
  private async look(
    run: RunRef,
    connection: AccountConnection,
    group: readonly UnsettledAttempt[],
    notes: string[],
    options: SettleOptions,
  ): Promise<ListLook | null> {
    const { ledger, now } = this.deps;
    const baseline = await ledger.baseline(run, connection.name);
    const since = Math.min(...group.map((attempt) => Date.parse(attempt.claimedAt)));
    try {
      const found = await lookAtList(
        { ledger, client: connection.client, now, onPage: options.onPage },
        {
          account: connection.name,
          baseline: baseline?.ids ?? [],
          since,
          reading: this.reads.begin(connection.name, now()),
          signal: options.signal,
        },
      );
      const details = { limit: MAX_DETAILS, signal: options.signal };
      return { ...found, unowned: await withDetails(connection.client, found.unowned, details) };
    } catch (error) {
      if (!(error instanceof ServiceError) || options.signal?.aborted === true) throw error;
      notes.push(`account ${connection.name}: its list can’t be read (${error.message})`);
      return null;
    }
  }

  private async carryOut(
    attempt: UnsettledAttempt,
    decision: Decision,
    seen: readonly Publication[],
  ): Promise<boolean> {
    const { ledger } = this.deps;
    const { rowId, attempt: number } = attempt;
    switch (decision.kind) {
      case 'wait':
        this.nextLook.set(keyOf(attempt), decision.until);
        return false;
      case 'adopt': {
        const publication = seen.find((each) => each.id === decision.publicationId);
        await ledger.settle(rowId, number, {
          kind: 'adopt',
          publicationId: decision.publicationId,
          status: publication?.status ?? 'unknown',
        });
        break;
      }
      case 'repeat':
      case 'unconfirmed':
        await ledger.settle(rowId, number, decision);
        break;
    }
    this.nextLook.delete(keyOf(attempt));
    this.abandoned.delete(keyOf(attempt));
    this.deps.log.info(`a lost create was settled: ${decision.kind}`, {
      channel: channelLabel(attempt.values),
      row: attempt.line,
      key: attempt.key,
      ...(decision.kind === 'adopt' ? { publication: decision.publicationId } : {}),
    });
    return true;
  }
}

function idsOf(evidence: Evidence, attempt: UnsettledAttempt, seen: readonly Publication[]): string[] {
  return idsThat(evidence, attempt.values, Date.parse(attempt.claimedAt), seen);
}

/** Whether one of these publications would match another attempt as well. */
function fits(other: UnsettledAttempt, ids: readonly string[], seen: readonly Publication[]): boolean {
  return idsOf('match', other, seen).some((id) => ids.includes(id));
}

/** Those first that appeared in the list while the attempt was made, by the own publications around them. */
function nearestFirst(
  ids: readonly string[],
  attempt: UnsettledAttempt,
  between: ReadonlyMap<string, Between>,
): readonly string[] {
  const from = Date.parse(attempt.claimedAt);
  const to = Date.parse(attempt.endedAt ?? attempt.claimedAt);
  const apart = (id: string) => {
    const { after, before } = between.get(id) ?? { after: -Infinity, before: Infinity };
    return Math.max(after - to, from - before, 0);
  };
  return [...ids].sort((a, b) => apart(a) - apart(b));
}

function keyOf(attempt: UnsettledAttempt): string {
  return `${attempt.rowId}/${attempt.attempt}`;
}
