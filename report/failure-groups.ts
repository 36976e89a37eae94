import { type ResultRecord } from '../ledger/types';
import { type RowState } from '../ledger/states';

/** Rows that ended badly for one reason. */
export interface FailureGroup {
  state: RowState;
  code: string;
  /** Of the first row of the group. */
  message: string;
  count: number;
  /** Lines of the first rows. */
  lines: number[];
}

export interface FailureGroups {
  /** Most rows first. */
  failures: FailureGroup[];
  /** The first of the rows that a person has to settle. */
  unconfirmed: ResultRecord[];
  unconfirmedTotal: number;
}

const LINES_KEPT = 20;
const UNCONFIRMED_KEPT = 100;
const GROUPS_KEPT = 200;
const FAILURE_STATES: readonly RowState[] = ['failed', 'rejected', 'overdue', 'unconfirmed'];

/** One pass over the rows; memory stays bounded whatever they hold. */
export async function groupFailures(rows: AsyncIterable<ResultRecord>): Promise<FailureGroups> {
  const groups = new Map<string, FailureGroup>();
  const unconfirmed: ResultRecord[] = [];
  let unconfirmedTotal = 0;
  for await (const row of rows) {
    if (!FAILURE_STATES.includes(row.state)) continue;
    if (row.state === 'unconfirmed') {
      unconfirmedTotal += 1;
      if (unconfirmed.length < UNCONFIRMED_KEPT) unconfirmed.push(row);
    }
    const code = row.code ?? 'no reason given';
    const cause = `${row.state} ${code}`;
    const group = groups.get(cause);
    if (group) {
      group.count += 1;
      if (group.lines.length < LINES_KEPT) group.lines.push(row.line);
    } else if (groups.size < GROUPS_KEPT) {
      const message = row.message ?? 'The service gives no reason.';
      groups.set(cause, { state: row.state, code, message, count: 1, lines: [row.line] });
    }
  }
  return { failures: [...groups.values()].sort((a, b) => b.count - a.count), unconfirmed, unconfirmedTotal };
}
