import stringWidth from 'string-width';
import { type Counts } from '../../ledger/model/types';
import { placeFlags } from '../terminal/texts/command-text';
import { type Output, type Style } from '../terminal/output';
import { inReaderZone, showDuration } from '../../wording/times';
import { problemLine, problemState, type ShownProblem } from '../terminal/texts/problem-lines';
import { plural, thousands } from '../terminal/safe-text';
import { joinToLines } from '../terminal/wrap';
import { attentionHead } from '../summary/settle-commands';
import { type WatchFacts } from './watch-facts';
import { countParts, countsText, STATE_ORDER, STATE_WORDS } from '../terminal/texts/state-words';

export interface ProgressSnapshot {
  /** `spring.3` */
  run: string;
  counts: Counts;
  /** ms since the epoch */
  at: number;
  /** What holds rows back, as text for people; null if nothing does. */
  held: string | null;
  /** Rows are held back by a person or by a parked channel: it isn't known when they continue. Default: no. */
  closed?: boolean;
  /** Rows that the run still has to end. */
  left: number;
  /**
   * When the last row is sent according to its time and its channel's pace, ms since the epoch; null: nothing waits for
   * that.
   */
  lastSendAt: number | null;
  /** The newest rows that went wrong, newest first. */
  problems: readonly ShownProblem[];
  /** Rows that only a person can settle. */
  persons: WatchFacts['persons'];
  /** The message that no worker reports in; null while one does. */
  silent: string | null;
  lost: WatchFacts['lost'];
  unknown: WatchFacts['unknown'];
  trial: WatchFacts['trial'];
}

/** Maximum number of lines for what holds rows back, and for each row that went wrong. */
const HELD_LINES = 3;
const PROBLEM_LINES = 4;
const HEARTBEAT_MS = 30_000;
/** Minimum interval between plain lines, whatever changes. */
const PLAIN_GAP_MS = 2_000;
/** If the last row is at least this far away, the run waits for it; if it is nearer, the rate is a better estimate. */
const PACED_MS = 10_000;
/** For this long, nothing may end without the estimate being doubted. */
const STRAGGLING_MS = 5_000;
/** The estimate uses samples this far back. */
const WINDOW_MS = 120_000;

/** Shows a run's progress: redrawn on a terminal, one line per change without one. */
export class ProgressView {
  readonly #output: Output;
  readonly #sandbox: boolean;
  #samples: { at: number; ended: number }[] = [];
  readonly #printed = new Set<string>();
  readonly #toldLost = new Set<number>();
  #lastText = '';
  #lastAt = 0;

  constructor(output: Output, options: { sandbox: boolean }) {
    this.#output = output;
    this.#sandbox = options.sandbox;
  }

  show(snapshot: ProgressSnapshot): void {
    const { counts, at, run, held, silent, lost, unknown, trial, persons } = snapshot;
    const all = endedOf(counts);
    // A trial is done when its own rows are.
    const [total, ended] = trial === null ? [all.total, all.ended] : [trial.rows, trial.ended];
    const ofTrial = trial === null ? '' : ` of the trial (${thousands(trial.others)} left planned)`;
    this.#samples = [...this.#samples.filter((sample) => at - sample.at <= WINDOW_MS), { at, ended }];
    const left = silent === null ? timeLeft(this.#samples, snapshot) : null;
    const eta = left === null ? '' : ` · about ${showDuration(left)} left`;
    const name = this.#sandbox ? `SANDBOX ${run}` : run;
    if (this.#output.live) {
      const width = this.#output.drawWidth;
      const done = `${thousands(ended)}/${thousands(total)}`;
      const head = [this.#output.paint('bold', name), `${bar(ended, total, barWidth(width, name, done))}  ${done}`];
      const narrow = width < name.length + done.length + 14;
      const lines = narrow ? head : [head.join('  ')];
      // Parts that don't fit get a line of their own instead of being cut.
      const beside = (text: string, alone: string): void => {
        const last = lines.at(-1) ?? '';
        if (stringWidth(last) + stringWidth(text) <= width) lines[lines.length - 1] = `${last}${text}`;
        else lines.push(...joinToLines(alone.split(' '), ' ', width - 2).map((line) => `  ${line}`));
      };
      if (ofTrial !== '') beside(ofTrial, ofTrial.trim());
      if (left !== null) beside(eta, `about ${showDuration(left)} left`);
      const parts = countParts(counts, (style, text) => this.#output.paint(style, text));
      lines.push(...joinToLines(parts, ' · ', width - 2).map((line) => `  ${line}`));
      const add = (style: Style, text: string, most = Infinity, indent = ''): void => {
        const words = joinToLines(text.split(' '), ' ', width - 2 - indent.length).slice(0, most);
        lines.push(...words.map((line, index) => `  ${index === 0 ? '' : indent}${this.#output.paint(style, line)}`));
      };
      const local = (text: string): string => this.#output.local(text);
      if (held !== null) add('yellow', local(held), HELD_LINES);
      if (lost !== null) add('yellow', local(lost.text));
      if (unknown !== null) add('yellow', unknown.text);
      if (silent !== null) add('red', local(silent));
      for (const row of persons.rows) add('yellow', attentionHead(row, local), PROBLEM_LINES, '  ');
      if (persons.total > 0) add('yellow', askingText(run, persons.total, this.#sandbox));
      for (const row of snapshot.problems) {
        add('red', `${problemState(row)}: ${problemLine(row, local)}`, PROBLEM_LINES, '  ');
      }
      this.#output.redraw(lines);
      return;
    }
    this.#tellProblems(snapshot.problems);
    this.#tellLost(lost);
    this.#tellPersons(run, persons);
    const parts = [held, lost?.short ?? null, unknown?.text ?? null, silent]
      .filter((part) => part !== null)
      .map((part) => inReaderZone(part, this.#output.clock, { steady: true }));
    const text = [countsText(counts), ...parts].join(' · ');
    const since = at - this.#lastAt;
    const due = text === this.#lastText ? since >= HEARTBEAT_MS : since >= PLAIN_GAP_MS;
    if (!due) return;
    this.#output.note(`${name}: ${thousands(ended)} of ${thousands(total)} rows${ofTrial} ended · ${text}${eta}`);
    this.#lastText = text;
    this.#lastAt = at;
  }

  /** Without a screen, each row that went wrong is printed once. */
  #tellProblems(problems: readonly ShownProblem[]): void {
    for (const row of [...problems].reverse()) {
      const key = `${problemState(row)}: ${problemLine(row)}`;
      if (!this.#printed.has(key))
        this.#output.note(`${problemState(row)}: ${problemLine(row, (text) => this.#output.local(text))}`);
      this.#printed.add(key);
    }
  }

  /** The time until which a row is looked for is printed once: a create that is repeated may be lost again. */
  #tellLost(lost: ProgressSnapshot['lost']): void {
    if (lost === null || lost.ids.every((id) => this.#toldLost.has(id))) return;
    for (const id of lost.ids) this.#toldLost.add(id);
    this.#output.note(this.#output.local(lost.text));
  }

  #tellPersons(run: string, { rows, total }: ProgressSnapshot['persons']): void {
    const fresh = rows.filter((row) => !this.#printed.has(attentionHead(row)));
    if (fresh.length === 0) return;
    for (const row of fresh) {
      this.#printed.add(attentionHead(row));
      this.#output.note(attentionHead(row, (text) => this.#output.local(text)));
    }
    this.#output.note(askingText(run, total, this.#sandbox));
  }

  end(): void {
    this.#output.clear();
  }
}

/** `2 rows need a person: \`reelay status spring.3\` shows the commands that settle them` */
function askingText(run: string, total: number, sandbox: boolean): string {
  const rows = `${plural(total, 'row')} ${total === 1 ? 'needs' : 'need'} a person`;
  return `${rows}: \`reelay status ${run}${placeFlags(sandbox)}\` shows the commands that settle ${total === 1 ? 'it' : 'them'}`;
}

export function endedOf(counts: Counts): { total: number; ended: number } {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ended = STATE_ORDER.filter((state) => STATE_WORDS[state].ended).reduce(
    (sum, state) => sum + (counts[state] ?? 0),
    0,
  );
  return { total, ended };
}

/**
 * ms until the run has ended: until its last row is sent, if times or pace determine that; otherwise by the rate of the
 * samples. Null while neither is known, or while rows wait for a person, as paused or parked ones do; rows whose answer
 * was lost, or whose status is unknown, end at their own times. A rate by which they would all have ended by now says
 * nothing about the rest.
 */
export function timeLeft(
  samples: readonly { at: number; ended: number }[],
  run: Pick<ProgressSnapshot, 'at' | 'held' | 'closed' | 'left' | 'lastSendAt'> & {
    lost: { rows: number } | null;
    unknown: { rows: number } | null;
  },
): number | null {
  if (run.closed) return null;
  const paced = run.lastSendAt === null ? 0 : run.lastSendAt - run.at;
  if (paced >= PACED_MS) return Number.isFinite(paced) ? paced : null;
  const first = samples[0];
  const last = samples.at(-1);
  const left = run.left - (run.lost?.rows ?? 0) - (run.unknown?.rows ?? 0);
  if (!first || !last || left <= 0 || run.held !== null) return null;
  const done = last.ended - first.ended;
  const took = last.at - first.at;
  if (done <= 0 || took < 3_000) return null;
  const estimate = (left * took) / done;
  const lastEndAt = samples.find(({ ended }) => ended === last.ended)?.at ?? last.at;
  return last.at - lastEndAt > Math.max(estimate, STRAGGLING_MS) ? null : estimate;
}

function barWidth(width: number, name: string, done: string): number {
  const beside = width - name.length - done.length - 4;
  return Math.min(24, beside >= 10 ? beside : Math.max(4, width - done.length - 2));
}

function bar(done: number, total: number, width: number): string {
  const filled = total === 0 ? 0 : Math.floor((done / total) * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
}
