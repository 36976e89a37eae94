import { type Plan, type SubmissionInput } from '../../../ledger/model/submission-types';
import { type RowState } from '../../../ledger/model/states';
import { type Entry } from '../../../ledger/model/types';
import { type Output } from '../../terminal/output';
import { timeTitle } from '../../terminal/table';

/** One row of a plan with the values that would be sent. Signed queries of sources are masked. */
export interface PlannedRow {
  line: number | null;
  key: string;
  action: string;
  /** The row's state now; null: the ledger doesn't have it yet. */
  state: RowState | null;
  channel: string | null;
  /** The channel's name for people: `Garden · long`. */
  channel_name: string | null;
  title: string | null;
  source: string | null;
  publish_at: string | null;
  deadline: string | null;
  privacy: string | null;
  description: string | null;
  status: string | null;
  via: string | null;
  /** For a draft that is changed at the service. */
  changes?: readonly { field: string; from: string | null; to: string }[];
}

/** The plan's rows with their effective values, in its order. */
export async function plannedRows(plan: Plan, input: SubmissionInput): Promise<PlannedRow[]> {
  const { channelLabel } = await import('../../../ledger/model/labels.js');
  const entries = new Map<number, Entry>();
  for await (const entry of input.entries) entries.set(entry.position, entry);
  const names = new Map(plan.channels.map(({ channel, label }) => [channel, label]));
  return plan.rows.map((row) => {
    const values = row.values ?? (row.position === null ? undefined : entries.get(row.position)?.values);
    return {
      line: row.line,
      key: row.key,
      action: row.selected ? row.action : `${row.action} (later)`,
      state: row.state,
      channel: row.channel,
      channel_name: names.get(row.channel) ?? (values === undefined ? null : channelLabel(values)),
      title: values?.title ?? null,
      source: maskQuery(values?.source ?? null, values?.sourceKind ?? 'none'),
      publish_at: values?.publishAt ?? null,
      deadline: values?.deadline ?? null,
      privacy: values?.privacy ?? null,
      description: values?.description ?? null,
      status: values?.status ?? null,
      via: values?.via ?? null,
      ...(row.changes === undefined ? {} : { changes: row.changes }),
    };
  });
}

/** A query may be a signature. */
export function maskQuery(source: string | null, kind: 'file' | 'url' | 'none'): string | null {
  return source !== null && kind === 'url' ? source.replace(/\?.*$/s, '?…') : source;
}

/** A row that is left as it is may be anything: only its state says what. */
function actionCell({ action, state }: PlannedRow): string {
  return (action === 'keep' || action === 'leave') && state !== null ? `${action} (${state})` : action;
}

export async function showPlannedRows(rows: readonly PlannedRow[], output: Output): Promise<void> {
  const { SENDS } = await import('../../../ledger/model/submission-types.js');
  /** It is to be sent, now or by its run. */
  const isSent = ({ action, state }: PlannedRow): boolean =>
    action === 'keep' ? state === 'planned' || state === 'waiting' : SENDS.some((one) => action.startsWith(one));
  await output.table(rows, [
    { title: 'ROW', value: (row) => row.line, align: 'right' },
    { title: 'ACTION', value: actionCell },
    { title: 'CHANNEL', value: (row) => row.channel_name ?? row.channel, shrink: true },
    { title: 'KEY', value: (row) => row.key, shrink: true },
    { title: 'TITLE', value: (row) => row.title, shrink: true },
    { title: 'PRIVACY', value: (row) => row.privacy },
    {
      title: timeTitle(output, 'PUBLISH AT'),
      value: (row) => output.cell(row.publish_at) ?? (isSent(row) ? 'at once' : null),
    },
    { title: 'SOURCE', value: (row) => row.source, shrink: true },
  ]);
}
