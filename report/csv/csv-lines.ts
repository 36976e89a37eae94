import { stringify } from 'csv-stringify/sync';

/** Records as lines of a CSV, ready for any spreadsheet. */
export function csvLines(records: readonly (readonly string[])[], delimiter = ','): string {
  return stringify(records as string[][], { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ });
}
