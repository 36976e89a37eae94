import { checkMoment, parsePublishAt } from './check-time';
import { type Cell } from '../../raw-row';
import { type KindFields, type RowBasis } from '../row-context';

/** The time after which a row isn't sent any more; undefined after an error. */
export function checkDeadline(
  basis: RowBasis,
  cell: Cell | undefined,
  publishAt: string | null,
): Pick<KindFields, 'deadline' | 'deferredErrors'> | undefined {
  const { problems, now } = basis.context;
  if (cell === undefined) return { deadline: null, deferredErrors: [] };
  const ms = parsePublishAt(cell, basis.context, problems);
  if (ms === null) return undefined;
  const deadline = new Date(ms).toISOString();
  const shared = cell.level !== 'row';
  const place = { at: cell.at, value: cell.text, shared };
  if (publishAt !== null && Date.parse(publishAt) > ms) {
    const message = `The deadline ${deadline} is before publish_at ${publishAt}.`;
    problems.add({ code: 'deadline-first', ...place, message });
    return undefined;
  }
  if (checkMoment(ms, now) !== 'past') return { deadline, deferredErrors: [] };
  const problem = problems.add({ code: 'deadline-past', ...place, message: `The deadline ${deadline} has passed.` });
  return { deadline, deferredErrors: [problem] };
}
