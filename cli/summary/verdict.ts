import { basename } from 'node:path';
import { countsText, DONE_STATES } from '../terminal/texts/state-words';
import { plural, safeText, thousands } from '../terminal/safe-text';
import { type Summary } from './summary';

/** A run's state in one line: what succeeded, and every reason for its exit code. */
export function verdictText(summary: Summary): string {
  const { reasons } = summary;
  const state = stateText(summary);
  const idle = summary.rows_of_runs?.idle === true ? ', nothing to send' : '';
  return [`${nameOf(summary)} ${state}${idle}: ${succeededText(summary)}`, ...reasons].join('; ');
}

/** A run's state for people: `paused` takes the place of `running`. */
export function stateText({ state, paused }: Pick<Summary, 'state' | 'paused'>): string {
  if (!paused) return state;
  return state === 'running' ? 'paused' : `${state}, paused`;
}

/** `spring.1`; for a campaign with several runs `spring (newest run spring.3)`. */
export function nameOf({ scope, run }: Summary): string {
  return scope === 'campaign' && run.number > 1 ? `${run.campaign} (newest run ${run.id})` : run.id;
}

function succeededText({ total, succeeded, rows_of_runs: runs, counts }: Summary): string {
  const all = `${thousands(succeeded)} of ${thousands(total)} rows`;
  if (runs === null) return `${all} succeeded`;
  if (runs.idle) {
    const done = DONE_STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    const what = counts.published === done ? 'already published' : 'done already';
    return `${thousands(done)} of ${thousands(total)} rows ${done === 1 ? 'was' : 'were'} ${what}`;
  }
  if (runs.trial !== null && runs.own.rows > 0) {
    const { own, trial } = runs;
    const left = trial.left > 0 ? ` (${thousands(trial.left)} left for later)` : '';
    return `${thousands(own.succeeded)} of ${thousands(own.rows)} rows taken succeeded${left}`;
  }
  const later = runs.later.reduce((sum, { rows }) => sum + rows, 0);
  const elsewhere = [
    runs.earlier > 0 ? `${thousands(runs.earlier)} of them in earlier runs` : null,
    later > 0 ? `${thousands(later)} taken by later runs` : null,
  ].filter((part) => part !== null);
  return `${all} succeeded${elsewhere.length === 0 ? '' : ` (${elsewhere.join(', ')})`}`;
}

/** What a run showed when it ended, if its rows have changed since; null: they haven't. */
export function sinceText({ run, ended_counts: ended, counts, rows_of_runs: runs }: Summary): string | null {
  if (runs === null) return null;
  const changed = ended !== null && countsText(ended) !== countsText(counts);
  if (runs.later.length === 0 && !changed) return null;
  const later = runs.later.reduce((sum, { rows }) => sum + rows, 0);
  const one = runs.later.length === 1;
  const by = runs.later.map(({ run: name, rows }) => (one ? name : `${name}: ${thousands(rows)}`)).join(', ');
  const taken = `: ${plural(later, 'row')} ${later === 1 ? 'was' : 'were'} taken up by ${one ? 'a later run' : 'later runs'} (${by})`;
  const now = `The rows are shown as they are now${later === 0 ? '' : taken}.`;
  return ended === null ? now : `${now} When ${run.id} ended: ${countsText(ended)}.`;
}

/** Rows that a run didn't try again because they are unchanged, and the command that does; null: there are none. */
export function notRetriedText({ run, rows_of_runs: runs, next }: Summary): string | null {
  const rows = runs?.not_retried ?? 0;
  if (rows === 0) return null;
  const retry = next.find((command) => command.startsWith('reelay retry '));
  const does = retry === undefined ? '' : `: \`${retry}\` does`;
  return rows === 1
    ? `1 row that went wrong in an earlier run is unchanged, so ${run.id} did not try it again${does}.`
    : `${thousands(rows)} rows that went wrong in earlier runs are unchanged, so ${run.id} did not try them again${does}.`;
}

/** Rows that keep a correction although the manifest differs: a heading, and a line for each. */
export function correctionLines({ kept_corrections: { total, rows, manifest } }: Summary): string[] {
  if (total === 0) return [];
  const file = safeText(basename(manifest ?? ''));
  const head =
    total === 1
      ? `1 row keeps its corrected values; correct ${file} too, which still has the old ones:`
      : `${plural(total, 'row')} keep their corrected values; correct ${file} too, which still has the old ones:`;
  const lines = rows.map(({ line, key, channel, run, changes }) => {
    const what = changes.map(
      ({ field, row, manifest: before }) => `${field} ${quoted(row)} (there: ${quoted(before)})`,
    );
    const where = run === null ? '' : `, corrected in ${run}`;
    return `  row ${String(line)}, key ${safeText(key)} (${safeText(channel)})${where}${what.length === 0 ? '' : `: ${what.join(', ')}`}`;
  });
  return [head, ...lines, ...(total > rows.length ? [`  … and ${plural(total - rows.length, 'more row')}`] : [])];
}

const SHOWN = 60;

function quoted(value: string | null): string {
  if (value === null) return 'nothing';
  const characters = Array.from(safeText(value));
  return `“${characters.length > SHOWN ? `${characters.slice(0, SHOWN - 1).join('')}…` : characters.join('')}”`;
}
