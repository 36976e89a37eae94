import { type AccountTrouble } from '../../ledger/channels/account-trouble';
import { type Ledger } from '../../ledger/ledger';
import { type UnknownStatus } from '../../ledger/model/result-types';
import { type Counts, type RunInfo } from '../../ledger/model/types';
import { troubleText } from '../../wording/account-trouble';
import { plural, safeText } from '../terminal/safe-text';
import { fullDiskText } from './full-disk';
import { workerlessText, SILENT_AFTER_MS } from '../summary/resume-commands';
import { type HeadFacts } from '../summary/settle-commands';
import { problemsOf, type ShownProblem } from '../terminal/texts/problem-lines';
import { lostBriefly, lostText, type RunLiveness } from '../summary/run-liveness';

/** Facts that are expensive to read are read at most this often. */
const REREAD_MS = 10_000;
const LOST_MS = 2_000;
/**
 * While nothing has a time to wait for: sooner than a rate can be measured, because a run's rows are imported after its
 * first read.
 */
const SOON_MS = 2_000;
/** Number of newest problems that are kept. */
const PROBLEMS = 3;
/** Number of rows needing a person that are kept. */
const PERSONS = 3;

/** What a watch shows besides the counts. */
export interface WatchFacts {
  /** Rows that the run still has to end, without those that a trial leaves out. */
  left: number;
  /** When the last row is sent according to its time and its channel's pace, ms since the epoch; null: nothing waits. */
  lastSendAt: number | null;
  /** The newest rows that went wrong, newest first. */
  problems: readonly ShownProblem[];
  /** Rows that only a person can settle: the first of them, and how many there are. */
  persons: { rows: readonly HeadFacts[]; total: number };
  /** `worker silent since …`, or that no worker is running; null while one reports in. */
  silent: string | null;
  /** Rows whose answer was lost, and the text about them; null: none. */
  lost: ShownLost | null;
  /** Followed rows with a status that the interface doesn't name; they end at their own times. Null: none. */
  unknown: { rows: number; text: string } | null;
  /** The text about an account that can't be reached; null: all can. */
  troubles: string | null;
  /** The rows of a trial, and how many of the manifest's it leaves planned; null: the run is for all of them. */
  trial: { rows: number; ended: number; others: number } | null;
}

/** The rows that need a person, and when they were read. */
interface Asking {
  known: string;
  readAt: number;
  rows: readonly HeadFacts[];
  total: number;
}

export interface ShownLost {
  rows: number;
  /** Until when they are looked for. */
  text: string;
  /** Without the time, which moves with each create that is repeated. */
  short: string;
  /** The rows. */
  ids: readonly number[];
}

export type LivenessOf = (run: RunInfo) => Promise<RunLiveness>;

const USUAL: RunLiveness = { goOn: null, lost: null };

/** Reads them for one run, each only as often as it changes or its cost allows. */
export function createWatchFacts(
  ledger: Ledger,
  livenessOf: LivenessOf = () => Promise.resolve(USUAL),
): (run: RunInfo, counts: Counts) => Promise<WatchFacts> {
  let wrong = '';
  let problems: readonly ShownProblem[] = [];
  let asking: Asking = { known: '', readAt: -Infinity, rows: [], total: 0 };
  let estimate: { at: number | null; readAt: number } | null = null;
  let liveness = { ...USUAL, readAt: -Infinity };
  let unknown: { statuses: readonly UnknownStatus[]; readAt: number } = { statuses: [], readAt: -Infinity };
  let troubles: { found: readonly AccountTrouble[]; readAt: number } = { found: [], readAt: -Infinity };
  return async (run, counts) => {
    const now = Date.now();
    const id = `${run.campaign}.${String(run.number)}`;
    const seen = `${id} ${String(counts.failed)} ${String(counts.rejected)} ${String(counts.overdue)}`;
    if (seen !== wrong) problems = await problemsOf(ledger, run, counts, { limit: PROBLEMS });
    wrong = seen;
    asking = await readAsking(run, counts, asking, now);
    const rest = (counts.planned ?? 0) + (counts.waiting ?? 0);
    if (!run.open || rest === 0) estimate = null;
    else if (estimate === null || now - estimate.readAt >= (estimate.at === null ? SOON_MS : REREAD_MS))
      estimate = { at: (await ledger.lastSend(run)).at, readAt: now };
    // Lost answers are among the rows being created: if there are none of those, no answer is looked for.
    const every = (counts.creating ?? 0) > 0 ? LOST_MS : REREAD_MS;
    if (now - liveness.readAt >= every || !run.open) liveness = { ...(await livenessOf(run)), readAt: now };
    if ((counts.processing ?? 0) === 0) unknown = { statuses: [], readAt: -Infinity };
    else if (now - unknown.readAt >= REREAD_MS) unknown = { statuses: await ledger.unknownStatuses(run), readAt: now };
    if (now - troubles.readAt >= LOST_MS) {
      const found = run.open ? await ledger.accountTroubles(run) : [];
      troubles = { found, readAt: now };
    }
    const unknownText = unknownStatusText(unknown.statuses);
    const { goOn } = liveness;
    const lost = (counts.creating ?? 0) > 0 ? liveness.lost : null;
    const text = lostText({ lost, goOn });
    const left = run.open ? await ledger.openRows(run) : 0;
    const open = rest + (counts.creating ?? 0) + (counts.processing ?? 0);
    const trial = open > left ? await ledger.trial(run) : null;
    return {
      left,
      lastSendAt: estimate?.at ?? null,
      problems,
      persons: { rows: asking.rows, total: asking.total },
      silent: goOn !== null ? workerlessText(id, goOn) : run.open ? await silence(ledger, now) : null,
      lost: lost === null || text === null ? null : { rows: lost.rows, text, short: lostBriefly(lost), ids: lost.ids },
      unknown: unknownText === null ? null : { rows: sumOf(unknown.statuses), text: unknownText },
      troubles:
        troubles.found.length === 0
          ? null
          : safeText(troubles.found.map((one) => troubleText(one, goOn === null)).join('; ')),
      // Before its rows are imported, a trial has none.
      trial:
        trial === null || trial.rows === 0
          ? null
          : { rows: trial.rows, ended: trial.ended, others: Math.max(0, open - (trial.rows - trial.ended)) },
    };
  };

  /** Rows that may be published twice keep their state: they are counted now and then. */
  async function readAsking(run: RunInfo, { unconfirmed = 0 }: Counts, before: Asking, now: number): Promise<Asking> {
    const known = `${run.campaign}.${String(run.number)} ${String(unconfirmed)}`;
    if (known === before.known && now - before.readAt < REREAD_MS) return before;
    const disputed = await ledger.disputed(run);
    if (unconfirmed + disputed === 0) return { known, readAt: now, rows: [], total: 0 };
    const found = await ledger.needsPerson(run);
    const rows = found.slice(0, PERSONS).map((row) => ({ ...row, title: row.values.title }));
    return { known, readAt: now, rows, total: found.length };
  }
}

const STATUSES_SHOWN = 5;

/** `2 rows show an unknown status (“on_hold”: 2); they are followed until their deadline`; null: there are none. */
export function unknownStatusText(statuses: readonly UnknownStatus[]): string | null {
  if (statuses.length === 0) return null;
  const rows = sumOf(statuses);
  const shown = statuses.slice(0, STATUSES_SHOWN).map(({ status, rows }) => `“${safeText(status)}”: ${String(rows)}`);
  const more = statuses.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
  return `${plural(rows, 'row')} ${rows === 1 ? 'shows' : 'show'} an unknown status (${list}); ${rows === 1 ? 'it is' : 'they are'} followed until the deadline`;
}

function sumOf(statuses: readonly UnknownStatus[]): number {
  return statuses.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * The whole run stops if no worker reports in: this is shown long before its rows are given up. On a full disk, workers
 * that run can't report in.
 */
export async function silence(
  ledger: Pick<Ledger, 'lastPulse' | 'location' | 'severalHosts'>,
  now: number,
  afterMs = SILENT_AFTER_MS,
): Promise<string | null> {
  const pulse = await ledger.lastPulse();
  if (pulse === null) return null;
  const ms = now - Date.parse(pulse.seenAt);
  if (ms < afterMs) return null;
  const full = await fullDiskText(ledger);
  if (full !== null) return full;
  return `worker silent since ${pulse.seenAt}: process ${String(pulse.pid)} has stopped or is frozen, and no other worker responds`;
}
