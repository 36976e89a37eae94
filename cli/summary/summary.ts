import { isOfRun } from '../terminal/texts/gate-text';
import { type TroubleKind } from '../../ledger/channels/account-trouble';
import { type Ledger } from '../../ledger/ledger';
import { sheetFlags } from '../shared/run-config';
import { unusedPath } from '../shared/unused-path';
import { attentionOf } from './attention';
import { DONE_STATES } from '../terminal/texts/state-words';
import { placeFlags } from '../terminal/texts/command-text';
import { problemsOf, type ShownProblem } from '../terminal/texts/problem-lines';
import { type ShownAttention } from './settle-commands';
import { type LostAnswers, type RunLiveness } from './run-liveness';
import { type Counts, type GateInfo, type RunInfo, type ViewRef } from '../../ledger/model/types';
import { correctedFile, isWorkbook, type NextFacts, type NextStep, nextSteps } from '../../wording/next-steps';
import { leftOutEarlier, leftOutSteps, leftOutText, rowsOf, type ShownLeftOut, shownLeftOut } from './left-out';
import { EXIT, type ExitCode } from '../errors/exit-codes';
import { bySeriousness, exitOf, type Reason, reasonsOf } from './reasons';
import { type RunsOfRows, runsOfRows } from './runs-of-rows';

/** The answer of `run`, `watch` and `status` (contract). */
export interface Summary {
  version: 1;
  /** Whose rows are counted: one run's, or the campaign's over all its runs; `run` is then its newest. */
  scope: 'run' | 'campaign';
  run: {
    id: string;
    campaign: string;
    number: number;
    workflow_id: string;
    web_ui: string | null;
    attached: boolean;
    started_by: string;
  };
  /**
   * `running`, `no-worker` (open, but no worker is running), `ended`, `cancelled`, `stopped` (by tolerance), or
   * `superseded` by a later run.
   */
  state: 'running' | 'no-worker' | 'ended' | 'cancelled' | 'stopped' | 'superseded';
  /** The run is open, and someone has paused all of it. */
  paused: boolean;
  total: number;
  counts: Counts;
  /** How many of the cancelled rows were given up by a person: they may be live. */
  given_up: number;
  /** How many of the drafted rows could not be changed to what the manifest says now. */
  unchanged_drafts: number;
  /** How many of the published rows are live but not as requested. */
  published_differs: number;
  started_at: string;
  finished_at: string | null;
  exit_code: ExitCode;
  /** Every reason why the exit code isn't 0, the most serious first. */
  reasons: string[];
  /** Rows that succeeded. */
  succeeded: number;
  /** The runs that the rows belong to; null with scope `campaign`. */
  rows_of_runs: RunsOfRows | null;
  /** Rows by state when the run ended; null: it is open, or that isn't known. */
  ended_counts: Counts | null;
  /** Rows that keep a correction while the manifest still has the old values. */
  kept_corrections: Awaited<ReturnType<Ledger['keptCorrections']>>;
  /** Rows of the manifest that were left out because of errors, and that were not submitted since. */
  left_out: { total: number; files: ShownLeftOut[] };
  /** Those of the campaign that an earlier run left out: they don't count for this run. */
  left_out_earlier: { total: number; files: ShownLeftOut[] };
  /** Rows whose answer was lost, and until when they are looked for; null: none. */
  lost_answers: LostAnswers | null;
  /** Accounts of an open run that can't be reached now, or whose service asked to wait. */
  account_troubles: {
    account: string;
    kind: TroubleKind;
    since: string;
    reason: string;
    /** The time the service asked to wait for; null: it named none. */
    next_at: string | null;
  }[];
  next: string[];
  /** The same commands, with what each is for. */
  next_steps: NextStep[];
  /** Runs the sheet of failed and rejected rows once it is corrected; null where there are none. */
  run_corrected: string | null;
  /** Rows that only a person can settle: how many, and the first of them with the commands. */
  needs_person: { total: number; rows: ShownAttention[] };
  /**
   * The newest rows that failed, were rejected or are overdue, drafts that could not be changed and rows that are live
   * but not as requested; `counts` has how many.
   */
  problems: ShownProblem[];
}

export interface SummaryInput {
  ledger: Ledger;
  info: RunInfo;
  /** Whose rows are counted; absent: the run's. */
  view?: ViewRef;
  attached: boolean;
  webUi: string | null;
  sandbox: boolean;
  /** Of an open run; absent: a worker is running, and no answer is lost. */
  liveness?: RunLiveness;
  /** The home, whose results may have the rows that were left out; absent: they aren't searched for there. */
  home?: string;
  /** Facts that the ledger doesn't have: interrupted, where rows that were left out were written. */
  also?: readonly Reason[];
  /** Further commands that a person may want next. */
  next?: readonly NextStep[];
}

export async function buildSummary(input: SummaryInput): Promise<Summary> {
  const { ledger, info, view = info, attached, webUi, sandbox } = input;
  const { goOn, lost } = input.liveness ?? { goOn: null, lost: null };
  const [counts, ownRows, gates, disputed, late, unchanged, differing, attention] = await Promise.all([
    ledger.counts(view),
    ledger.openRows(info),
    ledger.gates(info),
    ledger.disputed(info),
    ledger.unfollowed(info.campaign),
    ledger.unchangedDrafts(view),
    ledger.differing(view),
    attentionOf(ledger, info, sandbox),
  ]);
  const troubles = info.open ? await ledger.accountTroubles(info) : [];
  // Rows whose late answer arrived after their run had ended are as open as those of an open run.
  const openRows = info.open ? ownRows : late;
  const id = `${info.campaign}.${String(info.number)}`;
  const givenUp = (counts.cancelled ?? 0) > 0 ? await ledger.givenUp(view) : 0;
  const { byPerson, refused } = (counts.cancelled ?? 0) > 0 ? await cancelledRows(ledger, view, id) : NONE_CANCELLED;
  const cancelled = isCancelled(info, gates) || byPerson;
  const accessRefused = gates.some((gate) => gate.kind === 'parked' && gate.scope.startsWith('account'));
  const stopped = gates.some(({ kind }) => kind === 'stopped');
  const own = reasonsOf({ counts, openRows, cancelled, stopped, accessRefused, disputed, unchanged, differing });
  const closing = info.open && ownRows === 0 ? [{ code: EXIT.unfinished, text: 'the run has not ended' }] : [];
  const also = input.also ?? [];
  const written = also.find((reason) => reason.leftOut !== undefined)?.leftOut ?? null;
  const leftOut = await shownLeftOut(ledger, view, { home: input.home ?? null, written });
  const left = rowsOf(leftOut);
  const leftEarlier = view.number === null ? [] : await leftOutEarlier(ledger, view, { home: input.home ?? null });
  const reasons = bySeriousness([
    ...own,
    ...closing,
    ...(left === 0 ? [] : [{ code: EXIT.failed, text: leftOutText(left) }]),
    // The ledger knows which of these rows were submitted meanwhile.
    ...also.filter((reason) => reason.leftOut === undefined),
  ]);
  const otherwise = reasons.reduce((sum, one) => sum + (one.otherwise ?? 0), unchanged + differing);
  const done = DONE_STATES.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  // For a campaign with several runs, the next steps concern all of them.
  const name = view.number === null && info.number > 1 ? info.campaign : id;
  const workbook = isWorkbook(info.manifestPath);
  const facts: NextFacts = {
    name,
    counts,
    open: info.open && !(info.cancelled !== null && ownRows === 0),
    cancelled: info.cancelled !== null,
    held: gates.map(({ kind }) => kind),
    place: placeFlags(sandbox),
    given: await sheetFlags(ledger, info.campaign),
    late,
    unchanged,
    refused,
    differing,
    // The first command of each is the likeliest; all of them are shown with the row.
    settle: attention.shown.flatMap((row) => row.commands.slice(0, 1)),
    resume: goOn,
    workbook,
    corrected: unusedPath(correctedFile(workbook)),
  };
  const place = placeFlags(sandbox);
  const corrections = await leftOutSteps([...leftOut, ...leftEarlier], { ledger, campaign: info.campaign, place });
  const steps = [...nextSteps(facts), ...corrections, ...(input.next ?? [])];
  return {
    version: 1,
    scope: view.number === null ? 'campaign' : 'run',
    run: {
      id,
      campaign: info.campaign,
      number: info.number,
      workflow_id: info.workflowId,
      web_ui: webUi,
      attached,
      started_by: info.startedBy,
    },
    state: stateOf(info, { attended: goOn === null, gates, left: ownRows }),
    paused: isPaused(info, gates),
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    given_up: givenUp,
    unchanged_drafts: unchanged,
    published_differs: differing,
    started_at: info.startedAt,
    finished_at: info.finishedAt,
    exit_code: exitOf(reasons),
    reasons: reasons.map(({ text }) => text),
    succeeded: Math.max(0, done - otherwise),
    rows_of_runs: await runsOfRows(ledger, info, view),
    ended_counts: view.number === null ? null : info.endedCounts,
    kept_corrections: await ledger.keptCorrections(view),
    left_out: { total: left, files: leftOut },
    left_out_earlier: { total: rowsOf(leftEarlier), files: leftEarlier },
    lost_answers: lost === null ? null : { rows: lost.rows, until: lost.until },
    account_troubles: troubles.map(({ nextAt, ...trouble }) => ({ ...trouble, next_at: nextAt })),
    next: steps.map(({ command }) => command),
    next_steps: steps,
    run_corrected: steps.find(({ then }) => then !== undefined)?.then ?? null,
    needs_person: { total: attention.total, rows: attention.shown },
    problems: await problemsOf(ledger, view, counts, { endedOtherwise: unchanged + differing }),
  };
}

/** Whether all of an open run is paused. */
export function isPaused(info: RunInfo, gates: readonly GateInfo[]): boolean {
  return info.open && gates.some((gate) => gate.kind === 'paused' && isOfRun(gate));
}

/** A run's state, as `status` and `list` show it. */
export function stateOf(
  info: RunInfo,
  { attended, gates, left }: { attended: boolean; gates: readonly Pick<GateInfo, 'kind'>[]; left: number },
): Summary['state'] {
  if (info.open && !(info.cancelled !== null && left === 0)) return attended ? 'running' : 'no-worker';
  if (info.closedAs === 'superseded') return 'superseded';
  if (info.cancelled !== null || gates.some(({ kind }) => kind === 'cancelled')) return 'cancelled';
  return gates.some(({ kind }) => kind === 'stopped') ? 'stopped' : 'ended';
}

function isCancelled(info: RunInfo, gates: readonly GateInfo[]): boolean {
  return info.cancelled !== null || gates.some((gate) => gate.kind === 'cancelled' || gate.kind === 'stopped');
}

/** Codes of rows that were refused after their manifest was accepted: at its import, or at their claim. */
const REFUSED: ReadonlySet<string | null> = new Set(['source-repeated', 'pending-needs-draft', 'key-reused']);

const NONE_CANCELLED = { byPerson: false, refused: 0 };

/**
 * Whether there are cancelled rows that the manifest did not leave out, and how many of those were refused.
 * Rows that a person cancelled in an earlier run were not to be sent by run `id`.
 */
async function cancelledRows(ledger: Ledger, view: ViewRef, id: string): Promise<typeof NONE_CANCELLED> {
  const [{ CANCELLED }, { AS_ASKED_CODES }] = await Promise.all([
    import('../../ledger/model/converge.js'),
    import('../../ledger/model/states.js'),
  ]);
  let byPerson = false;
  let refused = 0;
  for await (const row of ledger.results(view, { states: ['cancelled'] })) {
    byPerson ||= !AS_ASKED_CODES.includes(row.code ?? '') && (row.code !== CANCELLED || row.run === id);
    if (REFUSED.has(row.code)) refused++;
  }
  return { byPerson, refused };
}
