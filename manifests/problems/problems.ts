import { PROBLEM_CODES, type ProblemCode } from './problem-codes';
import { showValue, visible } from '../text';

/** An error or a warning about a manifest. */
export interface Problem {
  severity: 'error' | 'warning';
  /** Physical line, from 1; null if it concerns the whole file. */
  line: number | null;
  /** Header or key as written. */
  column: string | null;
  code: ProblemCode;
  /** The value, shortened, made visible, with queries of URLs hidden. */
  value: string | null;
  message: string;
  hint: string;
  /** The sheet it is in; absent if that is the manifest itself. */
  file?: string;
  /** In a workbook: `Sheet1!C5`, or `Sheet1!5:5` for a row. */
  cell?: string;
}

/** A place in a manifest. `file` is set where it isn't the manifest itself. */
export interface Place {
  readonly line: number | null;
  readonly column: string | null;
  readonly file?: string | null;
}

export interface ProblemInput {
  code: ProblemCode;
  at: Place;
  value?: string | null;
  /** A sentence; values in it must have gone through `showValue`. */
  message: string;
  /** @default the fix of the code's table */
  hint?: string;
  /** @default the severity of the code's table */
  severity?: Problem['severity'];
  /** The value is in a default: reported once, with the number of rows. */
  shared?: boolean;
}

export const MAX_PER_CODE = 1000;
/**
 * Errors listed per code if each row that is left out needs its reason, and the most such rows that are kept. A
 * manifest with more is refused as a whole.
 */
export const MAX_LEFT_OUT = 100_000;

/** Names the cell of a place, where that is in a workbook. */
export type CellFinder = (at: Place) => string | undefined;

/** Collects problems: all of them, but with bounded memory, each reported once. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  /** Errors apart from warnings: an error must be listed, however many warnings have the same code. */
  readonly #counts = { error: new Map<ProblemCode, number>(), warning: new Map<ProblemCode, number>() };
  readonly #shared = new Map<string, { problem: Problem; rows: number }>();
  readonly #ofRow = new Set<string>();
  readonly #sharedOfRow = new Set<string>();
  readonly #strict: boolean;
  readonly #max: Readonly<Record<Problem['severity'], number>>;
  #cellOf: CellFinder | undefined;

  constructor(options: { strict?: boolean; allProblems?: boolean; cellOf?: CellFinder | undefined } = {}) {
    this.#strict = options.strict ?? false;
    this.#cellOf = options.cellOf;
    this.#max = { error: options.allProblems === true ? MAX_LEFT_OUT : MAX_PER_CODE, warning: MAX_PER_CODE };
  }

  /** From here on, problems name cells. */
  nameCells(cellOf: CellFinder): void {
    this.#cellOf = cellOf;
  }

  /** Begins a row: problems that several platforms of one row share are reported once. */
  startRow(): void {
    // Clearing an empty set costs more than checking, and most rows are fine.
    if (this.#ofRow.size > 0) this.#ofRow.clear();
    if (this.#sharedOfRow.size > 0) this.#sharedOfRow.clear();
  }

  add(input: ProblemInput): Problem {
    const problem = this.#build(input);
    if (input.shared === true) {
      this.#addShared(problem);
      return problem;
    }
    const identity = `${problem.code}\n${problem.line ?? ''}\n${problem.column ?? ''}\n${problem.message}`;
    if (this.#ofRow.has(identity)) return problem;
    this.#ofRow.add(identity);
    this.#keep(problem);
    return problem;
  }

  get hasErrors(): boolean {
    return this.#problems.some((problem) => problem.severity === 'error');
  }

  /** All problems by line, those of the whole file first; counted ones last. */
  finish(): Problem[] {
    for (const { problem, rows } of this.#shared.values()) {
      if (rows > 1) problem.message = `${problem.message} This concerns ${rows.toLocaleString('en-US')} rows.`;
    }
    const sorted = this.#problems
      .map((problem, order) => ({ problem, order }))
      .sort((a, b) => (a.problem.line ?? 0) - (b.problem.line ?? 0) || a.order - b.order)
      .map(({ problem }) => problem);
    for (const severity of ['error', 'warning'] as const) {
      for (const [code, count] of this.#counts[severity]) {
        if (count <= this.#max[severity]) continue;
        const more = (count - this.#max[severity]).toLocaleString('en-US');
        const message = `… and ${more} more problems “${code}”.`;
        sorted.push({ severity, line: null, column: null, code, value: null, message, hint: PROBLEM_CODES[code].fix });
      }
    }
    return sorted;
  }

  #build(input: ProblemInput): Problem {
    const severity = input.severity ?? PROBLEM_CODES[input.code].severity;
    const file = input.at.file ?? null;
    const problem: Problem = {
      severity: this.#strict ? 'error' : severity,
      line: input.at.line,
      column: input.at.column === null ? null : visible(input.at.column),
      code: input.code,
      value: input.value === undefined || input.value === null ? null : showValue(input.value),
      message: file === null ? input.message : `${visible(file)}: ${input.message}`,
      hint: input.hint ?? PROBLEM_CODES[input.code].fix,
    };
    if (file !== null) problem.file = visible(file);
    const cell = this.#cellOf?.(input.at);
    if (cell !== undefined) problem.cell = visible(cell);
    return problem;
  }

  #addShared(problem: Problem): void {
    const identity = `${problem.code}\n${problem.severity}\n${problem.column ?? ''}\n${problem.value ?? ''}`;
    if (this.#sharedOfRow.has(identity)) return;
    this.#sharedOfRow.add(identity);
    const known = this.#shared.get(identity);
    if (known !== undefined) {
      known.rows += 1;
      return;
    }
    this.#shared.set(identity, { problem, rows: 1 });
    this.#keep(problem);
  }

  #keep(problem: Problem): void {
    const { code, severity } = problem;
    const count = (this.#counts[severity].get(code) ?? 0) + 1;
    this.#counts[severity].set(code, count);
    if (count <= this.#max[severity]) this.#problems.push(problem);
  }
}
