import { judgeMoment, parsePublishAt } from './check-time';
import { type Cell } from './raw-row';
import { type KindFields, type RowBasis } from './row-context';

/** The time a row is sent, and what a past one means for it; undefined after an error. */
export function checkPublishAt(
  basis: RowBasis,
  cell: Cell | undefined,
): Pick<KindFields, 'publishAt' | 'skip' | 'blockers'> | undefined {
  const { problems, timezone, now, past } = basis.context;
  if (cell === undefined) return { publishAt: null, skip: false, blockers: [] };
  const ms = parsePublishAt(cell, timezone, problems);
  if (ms === undefined) return undefined;
  const publishAt = new Date(ms).toISOString();
  const verdict = judgeMoment(ms, now);
  if (verdict === 'past') {
    if (past === 'now') return { publishAt: null, skip: false, blockers: [] };
    if (past === 'skip') return { publishAt, skip: true, blockers: [] };
    const problem = problems.add({
      code: 'time-past',
      at: cell.at,
      value: cell.text,
      message: `${publishAt} has passed.`,
      shared: cell.level !== 'row',
    });
    return { publishAt, skip: false, blockers: [problem] };
  }
  if (verdict === 'far') {
    problems.add({
      code: 'time-far',
      at: cell.at,
      value: cell.text,
      message: `${publishAt} is more than a year away.`,
      shared: cell.level !== 'row',
    });
  }
  return { publishAt, skip: false, blockers: [] };
}
