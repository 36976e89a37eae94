import { stringify } from 'csv-stringify/sync';
import { guardFormula } from '../../wording/formula';

/** A problem of a manifest, as far as a table shows it. */
interface ReportedProblem {
  readonly severity: string;
  readonly line: number | null;
  readonly column: string | null;
  readonly code: string;
  readonly value: string | null;
  readonly message: string;
  readonly hint: string | null;
  readonly file?: string;
}

const FIELDS = ['severity', 'line', 'column', 'code', 'value', 'message', 'hint'] as const;

/** Problems as CSV text, one per line, by line of the manifest; `file` if they are in a sheet. */
export function problemsReport(problems: readonly ReportedProblem[]): string {
  const fields = problems.some(({ file }) => file !== undefined) ? ([...FIELDS, 'file'] as const) : FIELDS;
  const records = problems.map((problem) => fields.map((field) => guardFormula(String(problem[field] ?? ''))));
  return stringify([[...fields], ...records], { record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ });
}
