import { type Ledger } from '../ledger/ledger';
import { type Counts, type GateInfo, type RunInfo } from '../ledger/types';
import { EXIT, pickExit, runExitCode, type ExitCode } from './exit-codes';

/** What `run`, `watch` and `status` answer with (contract). */
export interface Summary {
  version: 1;
  run: {
    id: string;
    campaign: string;
    number: number;
    workflow_id: string;
    web_ui: string | null;
    attached: boolean;
    started_by: string;
  };
  /** `running`, `ended`, `cancelled`, or `superseded` by a later run. */
  state: 'running' | 'ended' | 'cancelled' | 'superseded';
  total: number;
  counts: Counts;
  started_at: string;
  finished_at: string | null;
  exit_code: ExitCode;
  next: string[];
}

export interface SummaryInput {
  ledger: Ledger;
  info: RunInfo;
  attached: boolean;
  webUi: string | null;
  sandbox: boolean;
  /** Truths that the ledger doesn't know: interrupted, unreachable. */
  also?: readonly ExitCode[];
}

export async function buildSummary(input: SummaryInput): Promise<Summary> {
  const { ledger, info, attached, webUi, sandbox } = input;
  const [counts, openRows, gates] = await Promise.all([ledger.counts(info), ledger.openRows(info), ledger.gates(info)]);
  const cancelled =
    isCancelled(info, gates) || ((counts.cancelled ?? 0) > 0 && (await someCancelledByPerson(ledger, info)));
  const accessRefused = gates.some((gate) => gate.kind === 'parked' && gate.scope.startsWith('account'));
  const verdict = runExitCode({ counts, openRows: info.open ? openRows : 0, cancelled, accessRefused });
  const id = `${info.campaign}.${String(info.number)}`;
  const state = info.open
    ? 'running'
    : info.closedAs === 'superseded'
      ? 'superseded'
      : isCancelled(info, gates)
        ? 'cancelled'
        : 'ended';
  return {
    version: 1,
    run: {
      id,
      campaign: info.campaign,
      number: info.number,
      workflow_id: info.workflowId,
      web_ui: webUi,
      attached,
      started_by: info.startedBy,
    },
    state,
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    started_at: info.startedAt,
    finished_at: info.finishedAt,
    exit_code: pickExit([verdict, ...(info.open && openRows === 0 ? [EXIT.unfinished] : []), ...(input.also ?? [])]),
    next: nextCommands(id, counts, info.open, sandbox),
  };
}

function isCancelled(info: RunInfo, gates: readonly GateInfo[]): boolean {
  return info.cancelled !== null || gates.some((gate) => gate.kind === 'cancelled' || gate.kind === 'stopped');
}

/** Codes of rows that are cancelled because the manifest, or a flag on it, asked for that. */
const AS_ASKED: ReadonlySet<string | null> = new Set(['skip', 'pruned', 'late']);

async function someCancelledByPerson(ledger: Ledger, info: RunInfo): Promise<boolean> {
  for await (const row of ledger.results(info, { states: ['cancelled'] })) if (!AS_ASKED.has(row.code)) return true;
  return false;
}

/** What a person would do next, as whole commands. */
export function nextCommands(id: string, counts: Counts, open: boolean, sandbox: boolean): string[] {
  const commands: string[] = [];
  const flag = sandbox ? ' --sandbox' : '';
  if (open) commands.push(`reelay watch ${id}${flag}`);
  const bad = (['failed', 'rejected'] as const).filter((state) => (counts[state] ?? 0) > 0);
  if (bad.length > 0) commands.push(`reelay results ${id} --state ${bad.join(',')} -o csv --out mend.csv${flag}`);
  const unsettled = (['unconfirmed', 'overdue'] as const).filter((state) => (counts[state] ?? 0) > 0);
  if (unsettled.length > 0) commands.push(`reelay results ${id} --state ${unsettled.join(',')}${flag}`);
  return commands;
}
