import { type ManifestTexts, type ShownProblem } from '../../errors/errors';
import stringWidth from 'string-width';
import { type Output } from '../output';
import { plural, safeText } from '../safe-text';

/** Problems of one cause, as one entry of the list. */
export interface ProblemGroup {
  first: ShownProblem;
  /** Further rows with the same problem. */
  more: number;
  /** Lines of the further rows, the first few. */
  lines: number[];
}

const LINES_SHOWN = 5;
/** Up to this many of one cause are listed individually. */
const ALONE = 3;
/** Up to this many different ones of one code and column are shown with their own messages. */
const DIFFERENT = 12;

/**
 * Groups problems by code and column, and by message unless there are very many; sorted by the first line, those of the
 * whole file first.
 */
export function groupProblems(problems: readonly ShownProblem[]): ProblemGroup[] {
  const groups: ProblemGroup[] = [];
  for (const members of causes(problems)) {
    members.sort(byLine);
    const shown = members.length > ALONE ? 1 : members.length;
    for (const first of members.slice(0, shown)) groups.push({ first, more: 0, lines: [] });
    const rest = members.slice(shown);
    const last = groups.at(-1);
    if (rest.length > 0 && last) {
      last.more = rest.length;
      last.lines = rest.slice(0, LINES_SHOWN).flatMap((one) => (one.line === null ? [] : [one.line]));
    }
  }
  return groups.sort((a, b) => byLine(a.first, b.first));
}

function causes(problems: readonly ShownProblem[]): ShownProblem[][] {
  return partition(problems, (one) => JSON.stringify([one.severity, one.code, one.column])).flatMap((alike) => {
    const different = partition(alike, ({ message }) => message);
    return different.length <= DIFFERENT ? different : [alike];
  });
}

function partition(problems: readonly ShownProblem[], keyOf: (problem: ShownProblem) => string): ShownProblem[][] {
  const parts = new Map<string, ShownProblem[]>();
  for (const problem of problems) {
    const known = parts.get(keyOf(problem));
    if (known) known.push(problem);
    else parts.set(keyOf(problem), [problem]);
  }
  return [...parts.values()];
}

function byLine(a: ShownProblem, b: ShownProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? '').localeCompare(b.column ?? '');
}

/** The list as lines for a person. `source` is used to show the line in question. */
export function problemLines(
  problems: readonly ShownProblem[],
  output: Pick<Output, 'paint' | 'width' | 'local'>,
  source: ManifestTexts | null = null,
  stream: 'out' | 'err' = 'err',
): string[] {
  const shown = new SourceLines(source);
  return groupProblems(problems).flatMap((group) => {
    const { first } = group;
    const place = [
      first.cell ?? (first.line === null ? null : `line ${String(first.line)}`),
      // A file without a header has columns without names.
      first.column !== null && /^\d+$/.test(first.column) ? `column ${first.column}` : first.column,
    ];
    const where = place.filter((part) => part !== null).join(', ');
    const tag =
      first.severity === 'error' ? output.paint('red', 'error', stream) : output.paint('yellow', 'warning', stream);
    const lines = [
      `${tag} ${output.paint('dim', first.code, stream)}${where === '' ? '' : ` ${where}`}: ${safeText(output.local(first.message))}`,
    ];
    lines.push(...excerpt(first, shown.lineOf(first), output.width - 8));
    if (first.hint !== null) lines.push(`    ${safeText(first.hint)}`);
    if (group.more > 0) {
      const places =
        group.lines.length === 0
          ? ''
          : ` (lines ${group.lines.join(', ')}${group.more > group.lines.length ? ', …' : ''})`;
      lines.push(`    … and ${plural(group.more, 'more row')}${places}`);
    }
    return lines;
  });
}

/** Reads single lines of the texts; splitting a large text into all its lines would hold it in memory twice. */
class SourceLines {
  readonly #source: ManifestTexts | null;

  constructor(source: ManifestTexts | null) {
    this.#source = source;
  }

  lineOf(problem: ShownProblem): string | null {
    // A workbook’s rows are not lines of a text.
    if (problem.cell !== undefined) return null;
    if (this.#source === null || problem.line === null || problem.value === null || problem.value === '') return null;
    // A problem in the sheet refers to the sheet's lines.
    const text = problem.file === undefined ? this.#source.text : (this.#source.sheet?.text ?? '');
    return lineAt(text, problem.line);
  }
}

/** The line of that number, from 1, without its end. */
function lineAt(text: string, number: number): string | null {
  const ends = /\r\n|\n|\r/g;
  let start = 0;
  for (let line = 1; ; line++) {
    const end = ends.exec(text);
    if (line === number) return text.slice(start, end?.index);
    if (end === null) return null;
    start = ends.lastIndex;
  }
}

/** The source line with a caret under the value, if the value occurs there unchanged. */
function excerpt(problem: ShownProblem, source: string | null, width: number): string[] {
  // A line with a query may contain a signature: the problem's own value is masked, the line is not.
  if (source === null || source.match(/https?:\/\/\S+/gi)?.some((address) => address.includes('?')) === true) return [];
  // Values are shown shortened and with invisible characters written out; quotes in a CSV are doubled.
  const line = safeText(source);
  const cut = safeText((problem.value ?? '').replace(/…$/, ''));
  const found = [cut, cut.replaceAll('"', '""')].find((value) => value !== '' && line.includes(value));
  if (found === undefined) return [];
  const at = line.indexOf(found);
  const from = Math.max(0, Math.min(at - 20, line.length - width));
  const before = line.slice(from, at);
  const lead = from > 0 ? '…' : '';
  const shown = line.slice(from, from + width);
  const marked = Math.min(stringWidth(found), Math.max(1, stringWidth(shown) - stringWidth(before)));
  return [`    ${lead}${shown}`, `    ${' '.repeat(stringWidth(before + lead))}${'^'.repeat(Math.max(1, marked))}`];
}

/** `2 errors, 1 warning`. */
export function problemCounts(problems: readonly ShownProblem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  return `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`;
}
