import { type UnsettledAttempt } from '../../ledger/model/attempt-types';
import { WORKER_SILENT } from '../../ledger/attempts/settle';
import { type ActivityDeps } from '../deps';

/** Ends open attempts whose workers are gone. */
export class LostWorkers {
  /** By worker: the last time it wrote, from which its silence is measured. */
  private readonly silentSince = new Map<string, string>();

  constructor(private readonly deps: ActivityDeps) {}

  /**
   * Only a proven death, or a person's confirmation of it, ends an attempt that its worker did not end; a silent worker
   * is shown, then its rows are left to a person. Returns whether the ledger has changed.
   */
  async endDead(attempts: readonly UnsettledAttempt[], notes: string[]): Promise<boolean> {
    const { ledger, timings, worker } = this.deps;
    const silent = new Map<string, number>();
    let changed = false;
    for (const attempt of attempts) {
      if (attempt.endedAt !== null || attempt.worker.id === worker.id) continue;
      if (attempt.workerForgotten || this.deps.processState(attempt.worker) === 'dead') {
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
}

function pulseOf(worker: string, seenAt: string): string {
  return `worker ${worker} at ${seenAt}`;
}
