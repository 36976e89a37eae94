import { type ResultRecord } from '../ledger/model/result-types';
import { GIVEN_UP, isDiffering, isUnchangedDraft, type RowState } from '../ledger/model/states';
import { sourceHost } from './record-text';
import { Tally } from './tally';
import { ChannelMatrix } from './html/matrix';
import { Timeline } from './html/timeline';
import { BAD, GOOD } from './state-styles';
import { PlannedItems } from './plan/planned';

/** Rows that went wrong for the same reason. */
export interface FailureGroup {
  state: RowState;
  code: string;
  /** Of the first row of the group. */
  message: string;
  count: number;
  /** The first rows. */
  rows: Pick<ResultRecord, 'line' | 'file' | 'title' | 'key' | 'channel'>[];
  channels: Tally;
  /** Where their videos came from: a host, or files of this machine. */
  hosts: Tally;
  /** When the first and the last of them ended, ISO; null where none has a time. */
  first: string | null;
  last: string | null;
}

export interface Findings {
  /** Of the rows themselves. */
  counts: Partial<Record<RowState, number>>;
  /** Most rows first. */
  failures: FailureGroup[];
  /** The first of the rows that a person has to settle. */
  unconfirmed: ResultRecord[];
  unconfirmedTotal: number;
  /** Cancelled rows that a person gave up: they may be live. */
  givenUp: ResultRecord[];
  givenUpTotal: number;
  /** Successful rows that are not as requested: drafts that could not be changed, publications with other values. */
  otherwise: number;
  timeline: Timeline;
  matrix: ChannelMatrix;
  /** Rows that are still to be sent, each at its own time. */
  planned: PlannedItems;
  /** Channels, for the filter; none when there are too many to choose from. */
  channels: string[];
}

const UNSENT: readonly RowState[] = ['planned', 'waiting'];
/** Whether a row is listed among those that need attention. */
export function wentWrong(row: Pick<ResultRecord, 'state' | 'code'>): boolean {
  return BAD.includes(row.state) || isUnchangedDraft(row) || isDiffering(row);
}

const ROWS_KEPT = 20;
const UNCONFIRMED_KEPT = 100;
const GROUPS_KEPT = 200;
const CHANNELS_KEPT = 300;

/** One pass over the rows; memory stays bounded whatever they contain. */
export async function findFailures(rows: AsyncIterable<ResultRecord>): Promise<Findings> {
  const groups = new Map<string, FailureGroup>();
  const unconfirmed: ResultRecord[] = [];
  const timeline = new Timeline();
  const matrix = new ChannelMatrix();
  const planned = new PlannedItems();
  const channels = new Set<string>();
  const counts: Findings['counts'] = {};
  let unconfirmedTotal = 0;
  const givenUp: ResultRecord[] = [];
  let givenUpTotal = 0;
  let otherwise = 0;
  for await (const row of rows) {
    const bad = wentWrong(row);
    if (bad && GOOD.includes(row.state)) otherwise += 1;
    matrix.add(row.channel, row.state);
    counts[row.state] = (counts[row.state] ?? 0) + 1;
    if (UNSENT.includes(row.state) && row.publish_at !== null)
      planned.add({ ...row, at: Date.parse(row.publish_at), title: row.title ?? row.key });
    const at = row.published_at ?? row.ended_at;
    if (at !== null) timeline.add(at, bad ? 'bad' : GOOD.includes(row.state) ? 'good' : 'other');
    if (channels.size <= CHANNELS_KEPT) channels.add(row.channel);
    if (row.state === 'cancelled' && row.code === GIVEN_UP) {
      givenUpTotal += 1;
      if (givenUp.length < UNCONFIRMED_KEPT) givenUp.push(row);
    }
    if (!bad) continue;
    if (row.state === 'unconfirmed') {
      unconfirmedTotal += 1;
      if (unconfirmed.length < UNCONFIRMED_KEPT) unconfirmed.push(row);
    }
    const code = row.code ?? 'no reason given';
    const cause = `${row.state} ${code}`;
    const group = groups.get(cause) ?? (groups.size < GROUPS_KEPT ? newGroup(row, code) : null);
    if (group === null) continue;
    groups.set(cause, group);
    addTo(group, row);
  }
  return {
    counts,
    failures: [...groups.values()].sort((a, b) => b.count - a.count),
    unconfirmed,
    unconfirmedTotal,
    givenUp,
    givenUpTotal,
    otherwise,
    timeline,
    matrix,
    planned,
    channels: channels.size > CHANNELS_KEPT ? [] : [...channels].sort(),
  };
}

function newGroup(row: ResultRecord, code: string): FailureGroup {
  const message = row.message ?? 'The service gives no reason.';
  const tallies = { channels: new Tally(), hosts: new Tally() };
  return { state: row.state, code, message, count: 0, rows: [], ...tallies, first: null, last: null };
}

function addTo(group: FailureGroup, row: ResultRecord): void {
  group.count += 1;
  const { line, file, title, key, channel } = row;
  if (group.rows.length < ROWS_KEPT) group.rows.push({ line, file, title, key, channel });
  group.channels.add(row.channel);
  group.hosts.add(sourceHost(row));
  if (row.ended_at === null) return;
  if (group.first === null || row.ended_at < group.first) group.first = row.ended_at;
  if (group.last === null || row.ended_at > group.last) group.last = row.ended_at;
}
