import { type Ledger } from '../../../ledger/ledger';
import { type RowState } from '../../../ledger/model/states';
import { type RunInfo } from '../../../ledger/model/types';
import { parseDuration } from '../../../wording/duration';
import { type Settings } from '../../config/settings';
import { UsageError } from '../../errors/errors';
import { findView, type FoundView } from '../../shared/resolve-run';
import { STATE_ORDER } from '../../terminal/texts/state-words';

/** `failed,rejected` as states. @throws UsageError */
export function parseStates(text: string): RowState[] {
  return text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
    .map((part) => {
      const state = STATE_ORDER.find((one) => one === part);
      if (!state) throw new UsageError(`--state: “${part}” is not a state`, `States: ${STATE_ORDER.join(', ')}.`);
      return state;
    });
}

/** A duration before now, or a date: ms since the epoch. @throws UsageError */
export function parseSince(text: string, now: number = Date.now()): number {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(
      `--since: “${text}” is neither a duration nor a date`,
      'Write 24h, 7d, 2026-11-01 or 2026-11-01T08:00:00Z.',
    );
  }
  return at;
}

/** From when on campaigns are included: ms since the epoch, 0 for all of them; null for one run. @throws UsageError */
export function sinceOf(flags: { since?: string; all?: boolean }): number | null {
  if (flags.all && flags.since !== undefined) throw new UsageError('give --since or --all, not both');
  if (flags.all) return 0;
  return flags.since === undefined ? null : parseSince(flags.since);
}

/** @throws UsageError if both are given; neither means the newest run */
export function demandOneOf(name: string | undefined, since: number | null): void {
  if (name !== undefined && since !== null) throw new UsageError('give a RUN, or --since or --all, not both');
}

/** The requested campaign or run; or each campaign that has had a run since then, oldest first. */
export async function selectViews(
  settings: Settings,
  ledger: Ledger,
  query: { name: string; since: number | null },
): Promise<FoundView[]> {
  const { name, since } = query;
  if (since === null) return [await findView(settings, ledger, name)];
  const newest = new Map<string, RunInfo>();
  for (const run of await ledger.listRuns({ limit: 100_000 })) {
    const last = Math.max(Date.parse(run.startedAt), run.finishedAt === null ? 0 : Date.parse(run.finishedAt));
    const known = newest.get(run.campaign);
    if ((run.open || last >= since) && (!known || known.number < run.number)) newest.set(run.campaign, run);
  }
  return [...newest.values()]
    .sort((a, b) => a.startedAt.localeCompare(b.startedAt))
    .map((info) => ({ info, view: { campaign: info.campaign, number: null } }));
}
