import { type Counts } from '../ledger/types';
import { type Output } from './output';
import { showDuration } from './durations';
import { thousands } from './safe-text';
import { countsText, STATE_ORDER, STATE_WORDS } from './state-words';

export interface ProgressSnapshot {
  /** `spring.3` */
  run: string;
  counts: Counts;
  /** ms since the epoch */
  at: number;
  /** What holds rows back, for people; null when nothing does. */
  held: string | null;
}

const HEARTBEAT_MS = 30_000;
/** Plain lines come at most so often, whatever changes. */
const PLAIN_GAP_MS = 2_000;
/** The estimate looks back so far. */
const WINDOW_MS = 120_000;

/** Shows how a run goes: redrawn on a terminal, a line per change without one. */
export class ProgressView {
  readonly #output: Output;
  readonly #sandbox: boolean;
  #samples: { at: number; ended: number }[] = [];
  #lastText = '';
  #lastAt = 0;

  constructor(output: Output, options: { sandbox: boolean }) {
    this.#output = output;
    this.#sandbox = options.sandbox;
  }

  show(snapshot: ProgressSnapshot): void {
    const { counts, at, run, held } = snapshot;
    const { total, ended } = endedOf(counts);
    this.#samples = [...this.#samples.filter((sample) => at - sample.at <= WINDOW_MS), { at, ended }];
    const left =
      total > ended ? timeLeft(this.#samples, total - ended, held !== null || (counts.waiting ?? 0) > 0) : null;
    const eta = left === null ? '' : ` · about ${showDuration(left)} left`;
    const name = this.#sandbox ? `SANDBOX ${run}` : run;
    if (this.#output.live) {
      const lines = [
        `${this.#output.paint('bold', name)}  ${bar(ended, total, 24)}  ${thousands(ended)}/${thousands(total)}${eta}`,
        `  ${countsText(counts, (style, text) => this.#output.paint(style, text))}`,
      ];
      if (held !== null) lines.push(`  ${this.#output.paint('yellow', held)}`);
      this.#output.redraw(lines);
      return;
    }
    const text = `${countsText(counts)}${held === null ? '' : ` · ${held}`}`;
    const since = at - this.#lastAt;
    const due = text === this.#lastText ? since >= HEARTBEAT_MS : since >= PLAIN_GAP_MS;
    if (!due) return;
    this.#output.note(`${name}: ${thousands(ended)} of ${thousands(total)} rows ended · ${text}${eta}`);
    this.#lastText = text;
    this.#lastAt = at;
  }

  end(): void {
    this.#output.clear();
  }
}

export function endedOf(counts: Counts): { total: number; ended: number } {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ended = STATE_ORDER.filter((state) => STATE_WORDS[state].ended).reduce(
    (sum, state) => sum + (counts[state] ?? 0),
    0,
  );
  return { total, ended };
}

/** ms until the rest has ended at the pace of the samples; null while there is no pace, or rows wait for their time. */
export function timeLeft(
  samples: readonly { at: number; ended: number }[],
  rest: number,
  scheduled: boolean,
): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || scheduled) return null;
  const done = last.ended - first.ended;
  const took = last.at - first.at;
  return done <= 0 || took < 3_000 ? null : (rest * took) / done;
}

function bar(done: number, total: number, width: number): string {
  const filled = total === 0 ? 0 : Math.floor((done / total) * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
}
