import stringWidth from 'string-width';
import { machineZone } from '../../wording/times';
import { safeText } from './safe-text';

/** A column of times names its zone if that isn't the machine's, because times on a terminal have none. */
export function timeTitle(output: { wide: number | null; zone: string }, title: string): string {
  return output.wide === null || output.zone === machineZone() ? title : `${title} (${output.zone})`;
}

export interface TableColumn<Row> {
  title: string;
  value: (row: Row) => string | number | null;
  align?: 'left' | 'right';
  /** May be shortened if the table is wider than the terminal; the column with the most spare width is shortened first. */
  shrink?: boolean;
  /** Parts joined by ` · `: a cell that is wider than its column continues in further lines instead of being cut. */
  wrap?: boolean;
  /**
   * Never shortened, for example an id that is copied. Other columns are, if the shrinking ones have no more width to
   * give.
   */
  whole?: boolean;
  /** The narrowest terminal that shows it, in cells. */
  from?: number;
}

/** Rows as lines with aligned columns, at most `width` cells wide as far as their columns allow. */
export function alignedTable<Row>(rows: readonly Row[], all: readonly TableColumn<Row>[], width: number): string[] {
  const columns = all.filter(({ from = 0 }) => width >= from);
  const cells = rows.map((row) => columns.map((column) => safeText(String(column.value(row) ?? ''))));
  const widths = columns.map((column, index) =>
    Math.max(stringWidth(column.title), ...cells.map((line) => stringWidth(line[index] ?? ''))),
  );
  shrinkTo(widths, columns, width);
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(shorten(text, widths[index] ?? 0), widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
  const linesOf = (texts: readonly string[]): string[] => {
    const pieces = texts.map((text, index) =>
      columns[index]?.wrap === true ? wrapped(text, widths[index] ?? 0) : [text],
    );
    const height = Math.max(...pieces.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) => line(pieces.map((column) => column[at] ?? '')));
  };
  return [line(columns.map((column) => column.title)), ...cells.flatMap(linesOf)];
}

const JOINT = ' · ';

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  const parts = text.split(JOINT);
  parts.forEach((part, at) => {
    const last = lines.at(-1);
    // A line that continues ends with the separator.
    const added = `${last ?? ''}${JOINT}${part}${at === parts.length - 1 ? '' : ' ·'}`;
    if (last !== undefined && stringWidth(added) <= width) lines[lines.length - 1] = `${last}${JOINT}${part}`;
    else lines.push(part);
  });
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} ·`));
}

/** Rows as tab-separated lines with a header, for pipes: nothing shortened, breaks and tabs escaped. */
export function tabSeparated<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): string[] {
  return [tsvHeader(columns), ...rows.map((row) => tsvLine(row, columns))];
}

export function tsvHeader<Row>(columns: readonly TableColumn<Row>[]): string {
  return columns.map((column) => column.title).join('\t');
}

export function tsvLine<Row>(row: Row, columns: readonly TableColumn<Row>[]): string {
  return columns.map((column) => safeText(String(column.value(row) ?? ''))).join('\t');
}

/** Cuts to a display width with an ellipsis, never inside a character. */
export function shorten(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width <= 1) return '…';
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const next = stringWidth(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return align === 'right' ? space + text : text + space;
}

const SMALLEST = 8;

function shrinkTo<Row>(widths: number[], columns: readonly TableColumn<Row>[], width: number): void {
  const total = (): number => widths.reduce((sum, one) => sum + one, 0) + 2 * (widths.length - 1);
  const widest = (may: (column: TableColumn<Row>) => boolean): number => {
    let found = -1;
    columns.forEach((column, index) => {
      const own = widths[index] ?? 0;
      if (may(column) && own > SMALLEST && own > (widths[found] ?? 0)) found = index;
    });
    return found;
  };
  while (total() > width) {
    const first = widest(({ shrink }) => shrink === true);
    const second = first === -1 ? widest(({ wrap }) => wrap === true) : first;
    const next = second === -1 ? widest(({ whole }) => whole !== true) : second;
    if (next === -1) return;
    widths[next] = Math.max(SMALLEST, (widths[next] ?? 0) - Math.max(1, total() - width > 10 ? 5 : 1));
  }
}
