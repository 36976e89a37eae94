import { type ActivityDeps, type Log } from '../activities/deps';
import { type Spool } from '../activities/publish/spool/spool';
import { type Ledger } from '../ledger/ledger';
import { type WorkerIdentity } from '../ledger/model/attempt-types';
import { isDamage } from '../ledger/model/damage';
import {
  LedgerNotDurableError,
  LedgerReplacedError,
  LedgerRolledBackError,
  WorkerForgottenError,
  WorkerUnknownError,
} from '../ledger/model/errors';

/** How often this worker reports to the ledger, ms. */
export const BEAT_MS = 5_000;

interface PulseOptions {
  ledger: Ledger;
  identity: WorkerIdentity;
  processState: ActivityDeps['processState'];
  /** Answers that the ledger couldn't take are in it, those of dead workers of this host too. */
  spool: Spool;
  log: Log;
  /** It would be offered work indefinitely, and do none. */
  onBroken: (error: Error) => void;
}

/** Says to the ledger that this worker lives, and ends what dead workers of its host left open. */
export class Pulse {
  /** When the ledger was last written, ms since the epoch, and why it can't be written now; null: it can. */
  written: { writtenAt: number; trouble: string | null } = { writtenAt: Date.now(), trouble: null };
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: PulseOptions) {
    this.timer = setInterval(() => void this.beat(), BEAT_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    const { ledger, identity, log, onBroken } = this.options;
    try {
      await ledger.workerSeen(identity.id);
      this.written = { writtenAt: Date.now(), trouble: null };
      await this.endDead();
    } catch (error) {
      this.written = { ...this.written, trouble: String(error) };
      log.warn('the ledger can’t be written', { error: String(error) });
      if (endsWriting(error)) onBroken(error);
    }
  }

  /**
   * Attempts that dead workers of this host leave open occupy slots, and the watch of their run may be on a host that
   * can't see that they are dead.
   */
  private async endDead(): Promise<void> {
    const { ledger, identity, processState, spool, log } = this.options;
    const open = (await ledger.openAttempts()).filter(({ worker }) => worker.id !== identity.id);
    const dead = open.filter(({ worker }) => processState(worker) === 'dead');
    if (dead.length > 0) await spool.drainInto(ledger, log);
    for (const { rowId, attempt } of dead) await ledger.endDeadAttempt(rowId, attempt);
  }
}

/** After these, a process writes nothing more to the ledger. */
function endsWriting(error: unknown): error is Error {
  const final = [
    ...[WorkerForgottenError, WorkerUnknownError],
    ...[LedgerNotDurableError, LedgerRolledBackError, LedgerReplacedError],
  ];
  return final.some((known) => error instanceof known) || isDamage(error);
}
