import { type Columns } from '../../fields/columns';
import { DELIMITERS, type CsvDialect } from './csv-dialect';
import { type CsvRecord } from './csv-scan';
import { readRecords } from './read-records';

/** Records among which the header is searched, and the UTF-16 units in which they have to be. */
const RECORDS = 10;
const LENGTH = 20_000;

/** A header that isn't the first record with a value, and the records above it: the places of all among the records. */
export interface LowHeader {
  header: Placed;
  above: readonly Placed[];
}

interface Placed extends Pick<CsvRecord, 'line' | 'cells'> {
  /** Its number among the records, from 0; blank ones count too. */
  place: number;
}

/**
 * The header of a table that has something above it: a title (“Table 1”, as Numbers writes it) or the names of groups
 * of columns. It is the record with the most names of fields, if the first one has fewer; null if that is the first.
 * The delimiter is detected from the first line, so that the other ones are tried too.
 */
export function lowHeader(
  text: string,
  dialect: CsvDialect,
  columns: Pick<Columns, 'namesIn' | 'numbered'>,
): LowHeader | null {
  const others = dialect.from === 'detected' ? DELIMITERS.filter((one) => one !== dialect.delimiter) : [];
  let best: { low: LowHeader | null; names: number } = { low: null, names: 0 };
  for (const delimiter of [dialect.delimiter, ...others]) {
    const records = firstRecords(text.slice(0, dialect.start + LENGTH), { ...dialect, delimiter });
    const [first] = records;
    if (first === undefined) continue;
    if (columns.numbered(first.cells)) return null;
    const least = columns.namesIn(first.cells);
    if (least > best.names) best = { low: null, names: least };
    for (const [index, header] of records.entries()) {
      const names = columns.namesIn(header.cells);
      const isTitle = index === 1 && filled(first).length === 1 && filled(header).length > 1;
      if (index > 0 && names > Math.max(least, best.names) && (names > 1 || isTitle))
        best = { low: { header, above: records.slice(0, index) }, names };
    }
  }
  return best.low;
}

/** The first records with a value. */
function firstRecords(text: string, { delimiter, start, line }: CsvDialect): Placed[] {
  const found: Placed[] = [];
  let place = -1;
  for (const { cells, line: at, fault } of readRecords(text, delimiter, start, line)) {
    place += 1;
    if (fault === undefined && cells.every((cell) => cell.trim() === '')) continue;
    found.push({ line: at, cells, place });
    if (found.length === RECORDS) break;
  }
  return found;
}

function filled({ cells }: Placed): string[] {
  return cells.filter((cell) => cell.trim() !== '');
}
