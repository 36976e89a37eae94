import { MAX_FAULTS } from '../manifests/parse/csv/csv-scan';
import { type ProblemCode } from '../manifests/problems/problem-codes';
import { type Problem } from '../manifests/problems/problems';
import { type ManifestReading, type ManifestRow } from '../manifests/types';

/** A row that is left out because of errors, as written. */
export interface RejectedRow {
  line: number;
  cells: Readonly<Record<string, string>>;
  /** The codes of all its errors, separated by spaces. */
  code: string;
  /** All its errors, each with its column. */
  message: string;
}

/** Errors that also concern rows without an error, although they are reported at the line of one row. */
const OF_THE_FILE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'column-unknown',
  'column-duplicate',
  'column-missing',
  'columns-setting',
  'nameless-column',
  'unknown-setting',
  'bad-setting',
]);

export interface PartitionedRows {
  /** Rows without an error on their line. */
  good: ManifestRow[];
  /** By line. */
  rejected: RejectedRow[];
  /** Errors of the rejected rows. */
  skipped: Problem[];
  /** All other problems; an error among them still refuses the manifest. */
  left: Problem[];
}

/**
 * Separates the valid rows of a manifest from those with errors. Only errors that belong to a row's own line can be
 * left out: a wrong header, setting or default affects valid rows too, and with a quote that is never closed, or wrong
 * quotes throughout, it isn't known which rows there are.
 */
export function partitionRows(
  reading: Pick<ManifestReading, 'rows' | 'invalidRows' | 'sheet'>,
  problems: readonly Problem[],
  ofRows: ReadonlySet<Problem> = new Set(),
): PartitionedRows {
  const cells = new Map<number, Readonly<Record<string, string>>>();
  for (const row of reading.rows) cells.set(row.line, row.cells);
  for (const row of reading.invalidRows) cells.set(row.line, row.cells);
  const faults = problems.filter(({ code }) => code === 'unclosed-quote' || code === 'stray-quote');
  const readThrough = faults.length < MAX_FAULTS && !faults.some(({ code }) => code === 'unclosed-quote');
  const found = new Map<number, Problem[]>();
  const skipped: Problem[] = [];
  const left: Problem[] = [];
  for (const problem of problems) {
    // With a sheet, lines of the YAML and lines of the sheet have the same numbers.
    const inRows = reading.sheet === null || problem.file !== undefined || ofRows.has(problem);
    const { line, severity } = problem;
    if (
      severity !== 'error' ||
      OF_THE_FILE.has(problem.code) ||
      line === null ||
      !cells.has(line) ||
      !inRows ||
      !readThrough
    ) {
      left.push(problem);
      continue;
    }
    skipped.push(problem);
    const others = found.get(line);
    if (others) others.push(problem);
    else found.set(line, [problem]);
  }
  const rejected = [...found].map(([line, errors]) => ({
    line,
    cells: cells.get(line) ?? {},
    // Rows for several platforms may have the same error.
    code: joinDistinct(errors.map(({ code }) => code)),
    message: joinDistinct(errors.map(reasonOf)),
  }));
  rejected.sort((a, b) => a.line - b.line);
  return { good: reading.rows.filter((row) => !found.has(row.line)), rejected, skipped, left };
}

export function joinDistinct(texts: readonly string[]): string {
  return [...new Set(texts)].join(' ');
}

function reasonOf({ column, message }: Problem): string {
  return column === null ? message : `${column}: ${message}`;
}
