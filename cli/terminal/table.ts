import stringWidth from 'string-width';
import { machineZone } from '../../wording/times';
import { safeText } from './safe-text';

/** A column of times says in which zone they are where that isn't the machine's: on a terminal they have none. */
export function timeTitle(output: { wide: number | null; zone: string }, title: string): string {
  return output.wide === null || output.zone === machineZone() ? title : `${title} (${output.zone})`;
}

export interface TableColumn<Row> {
  title: string;
  value: (row: Row) => string | number | null;
  align?: 'left' | 'right';
  /** May be shortened when the table is wider than the terminal; the one with the most room to give goes first. */
  shrink?: boolean;
}

/** Rows as lines with aligned columns, at most `width` cells wide as far as shrinking columns allow. */
export function alignedTable<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], width: number): string[] {
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
  return [line(columns.map((column) => column.title)), ...cells.map(line)];
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

/** Cuts to a display width with an ellipsis, never through a character. */
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
  while (total() > width) {
    let widest = -1;
    columns.forEach((column, index) => {
      const own = widths[index] ?? 0;
      if (column.shrink && own > SMALLEST && own > (widths[widest] ?? 0)) widest = index;
    });
    if (widest === -1) return;
    widths[widest] = Math.max(SMALLEST, (widths[widest] ?? 0) - Math.max(1, total() - width > 10 ? 5 : 1));
  }
}
