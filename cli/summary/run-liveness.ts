import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { type RunInfo } from '../../ledger/model/types';
import { resumeSteps } from './resume-commands';
import { timingsOf } from '../config/timings';
import { type NextStep } from '../../wording/next-steps';
import { plural } from '../terminal/safe-text';
import { type Settings } from '../config/settings';

/** Creates whose answer was lost or unclear, while they are looked for. */
export interface LostAnswers {
  rows: number;
  /** ISO: by then each of them is found, created again or `unconfirmed`. */
  until: string;
}

/** With the rows, for callers that show each of them once. */
type LostRows = LostAnswers & { ids: readonly number[] };

/** The state of an open run, besides the states of its rows. */
export interface RunLiveness {
  /** The commands that resume it if no worker is running; null: one is, or it has ended. */
  goOn: readonly NextStep[] | null;
  lost: LostRows | null;
}

export async function livenessOf(
  settings: Settings,
  ledger: ReconcilingLedger & ReadingLedger & RunningLedger,
  info: RunInfo,
): Promise<RunLiveness> {
  if (!info.open) return { goOn: null, lost: null };
  return { goOn: await resumeSteps(settings, ledger, info), lost: await lostAnswers(settings, ledger, info) };
}

export async function lostAnswers(
  settings: Settings,
  ledger: ReconcilingLedger & ReadingLedger & RunningLedger,
  info: RunInfo,
): Promise<LostRows | null> {
  const attempts = await ledger.unsettled(info);
  const [timings, { giveUpMsOf, settleMsOf }, { settlingOf }] = await Promise.all([
    timingsOf(settings),
    import('../../activities/reconcile/decide.js'),
    import('../../activities/reconcile/settling.js'),
  ]);
  const times: number[] = [];
  const ids: number[] = [];
  for (const attempt of attempts) {
    const { rowId, endedAt, values, account, refused } = attempt;
    // A rejected row that is retried is looked for as well, but its answer wasn't lost.
    if (endedAt === null || values.via === 'direct' || refused === 'row') continue;
    ids.push(rowId);
    times.push(
      Date.parse(endedAt) +
        giveUpMsOf(settleMsOf(settlingOf(attempt), await ledger.listHabits(account), timings), timings),
    );
  }
  if (times.length === 0) return null;
  return { rows: times.length, until: new Date(times.reduce((a, b) => Math.max(a, b))).toISOString(), ids };
}

/** `2 rows: answers lost` */
export function lostBriefly({ rows }: Pick<LostAnswers, 'rows'>): string {
  return `${plural(rows, 'row')}: ${rows === 1 ? 'answer' : 'answers'} lost`;
}

/** `2 rows: answers lost, looking for them until 2026-03-02T14:32:00Z at the latest` */
export function lostText({ lost, goOn }: { lost: LostAnswers | null; goOn: RunLiveness['goOn'] }): string | null {
  if (lost === null) return null;
  const one = lost.rows === 1;
  const what = lostBriefly(lost);
  if (goOn !== null) return `${what}; ${one ? 'it is' : 'they are'} looked for when the run resumes`;
  return `${what}, looking for ${one ? 'it' : 'them'} until ${lost.until} at the latest`;
}
