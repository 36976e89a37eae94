import { type Ledger } from '../../ledger/ledger';
import { type RowState } from '../../ledger/model/states';
import { type RunInfo, type ViewRef } from '../../ledger/model/types';
import { DONE_STATES } from '../terminal/texts/state-words';

/** Which of the rows that a run shows it processed itself, which were done before it, and which a later run took. */
export interface RunsOfRows {
  /** Rows of the run itself. */
  own: { rows: number; succeeded: number };
  /** How many rows are left for later if it took only some (`--limit`, `--key`, `take`); null: it took all of them. */
  trial: { left: number } | null;
  /** Rows that had succeeded in earlier runs. */
  earlier: number;
  /** Rows that failed or were rejected in earlier runs, and that this one has not tried again. */
  not_retried: number;
  /** Rows that later runs have taken. */
  later: { run: string; rows: number }[];
  /** It has ended and neither sent nor changed anything, because everything had been done before. */
  idle: boolean;
}

const OPEN: readonly RowState[] = ['planned', 'waiting', 'creating', 'processing'];

/** Null for a campaign: its rows belong to all its runs. */
export async function runsOfRows(ledger: Ledger, info: RunInfo, view: ViewRef): Promise<RunsOfRows | null> {
  if (view.number === null) return null;
  const groups = await ledger.rowsByRun(info);
  const sum = (of: typeof groups): number => of.reduce((total, { rows }) => total + rows, 0);
  const succeeded = (of: typeof groups): number =>
    sum(of.filter(({ state, otherwise }) => DONE_STATES.includes(state) && !otherwise));
  const own = groups.filter(({ number }) => number === info.number);
  const before = groups.filter(({ number }) => number !== null && number < info.number);
  const after = groups.filter(({ number }) => number !== null && number > info.number);
  const later = [...new Set(after.map(({ number }) => Number(number)))].sort((a, b) => a - b);
  const left = sum(groups.filter(({ number, state }) => number !== info.number && OPEN.includes(state)));
  // A draft whose change was refused belongs to another run, but this run has tried.
  const tried = groups.some(({ state, otherwise }) => state === 'drafted' && otherwise);
  const idle = !info.open && info.imported && sum(own) === 0 && after.length === 0 && sum(before) > 0 && !tried;
  return {
    own: { rows: sum(own), succeeded: succeeded(own) },
    trial: (await ledger.trial(info)) === null ? null : { left },
    earlier: succeeded(before),
    not_retried: sum(before.filter(({ state }) => state === 'failed' || state === 'rejected')),
    later: later.map((number) => ({
      run: `${info.campaign}.${String(number)}`,
      rows: sum(after.filter((group) => group.number === number)),
    })),
    idle: idle && (await ledger.draftsChangedBy(info)) === 0,
  };
}
