import { countsOnlyToSend } from '../manifests/problems/problem-codes';
import { type Problem } from '../manifests/problems/problems';
import { type ManifestReading, type ManifestRow } from '../manifests/types';

/**
 * The problems that remain once the rows' history is known: a past time or a missing file is no error for a row that is
 * done or under way. All other problems remain, including those of rows that also have another error.
 */
export function problemsToSend(
  reading: Pick<ManifestReading, 'rows' | 'problems'>,
  stillToSend: (row: ManifestRow) => boolean,
): Problem[] {
  const blocking = new Map<string, Problem>();
  const ofSoundRows = new Set<string>();
  for (const row of reading.rows) {
    if (row.deferredErrors.length === 0) continue;
    const counts = stillToSend(row);
    for (const problem of row.deferredErrors) {
      ofSoundRows.add(placeOf(problem));
      // With the count of those that aren't listed individually, if there are any.
      ofSoundRows.add(placeOf({ ...problem, line: null, column: null }));
      if (counts) blocking.set(`${problem.code}\n${problem.line ?? ''}\n${problem.message}`, problem);
    }
  }
  const kept = reading.problems.filter(
    (problem) =>
      problem.severity === 'warning' || !countsOnlyToSend(problem.code) || !ofSoundRows.has(placeOf(problem)),
  );
  return [...kept, ...blocking.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function placeOf({ code, line, column }: Pick<Problem, 'code' | 'line' | 'column'>): string {
  return `${code}\n${String(line)}\n${column ?? ''}`;
}
