import { type FastifyRequest } from 'fastify';
import { type Context } from '../context';
import { type FaultAction } from './fault-rules';
import { ConnectionGone } from '../routes/refusal';

/** Limits a body to a rate, and cuts it. */
export class PacedReader {
  readonly #startedAt = Date.now();
  readonly #cut: (FaultAction & { kind: 'cut-body' }) | undefined;
  readonly #bytesPerSecond: number;

  constructor(
    private readonly context: Context,
    private readonly request: FastifyRequest,
    actions: readonly FaultAction[],
  ) {
    const rates = actions.flatMap((action) => (action.kind === 'slow-body' ? [action.bytesPerSecond] : []));
    this.#bytesPerSecond = Math.min(Number.POSITIVE_INFINITY, ...rates);
    this.#cut = actions.find((action) => action.kind === 'cut-body');
  }

  /** Called with the number of bytes read so far. Waiting here is what makes the client wait (back-pressure). */
  async passed(bytes: number): Promise<void> {
    if (this.#cut !== undefined && bytes > (this.#cut.afterBytes ?? 0)) this.cutAtEnd();
    const aheadMs = (bytes / this.#bytesPerSecond) * 1000 - (Date.now() - this.#startedAt);
    let left = aheadMs;
    while (left > 0 && !this.request.raw.destroyed && !this.request.socket.destroyed) {
      // In short steps, so that a client that has gone isn't waited for.
      const step = Math.min(left, 100);
      if (!(await this.context.waiting.wait(step))) break;
      left -= step;
    }
    if (this.request.socket.destroyed) throw new ConnectionGone('the upload ended early');
  }

  /** A body shorter than the cut is cut at its end. */
  cutAtEnd(): void {
    if (this.#cut === undefined) return;
    if (this.#cut.reset === true) this.request.socket.resetAndDestroy();
    else this.request.socket.destroy();
    throw new ConnectionGone('cut by a fault');
  }
}
