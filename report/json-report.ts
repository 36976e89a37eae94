import { type ResultRecord } from '../ledger/model/result-types';
import { recordData } from './record-fields';

/**
 * Results as one JSON document, a piece at a time: `{version, run, left_out, rows: [record]}`. Both are null if the
 * rows are of several campaigns.
 */
export async function* jsonReport(
  rows: AsyncIterable<ResultRecord>,
  run: object | null,
  leftOut: object | null,
): AsyncGenerator<string> {
  yield `{"version":1,"run":${JSON.stringify(run)},"left_out":${JSON.stringify(leftOut)},"rows":[`;
  let separator = '\n';
  for await (const row of rows) {
    yield separator + JSON.stringify(recordData(row));
    separator = ',\n';
  }
  yield '\n]}\n';
}

/** Results as one record per line. */
export async function* jsonLinesReport(rows: AsyncIterable<ResultRecord>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(recordData(row))}\n`;
}
