import { countsOnlyToSend } from './problem-codes';
import { type Problem } from './problems';
import { type ManifestReading, type ManifestRow } from './types';

/**
 * The problems that count once the rows' history is known: a past time or a missing file is no error for a row that is done
 * or under way. All other problems stay.
 */
export function problemsToSend(reading: ManifestReading, stillToSend: (row: ManifestRow) => boolean): Problem[] {
  const kept = reading.problems.filter((problem) => problem.severity === 'warning' || !countsOnlyToSend(problem.code));
  const blocking = new Map<string, Problem>();
  for (const row of reading.rows) {
    if (row.blockers.length === 0 || !stillToSend(row)) continue;
    for (const problem of row.blockers)
      blocking.set(`${problem.code}\n${problem.line ?? ''}\n${problem.message}`, problem);
  }
  return [...kept, ...blocking.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
