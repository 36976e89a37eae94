import { type Plan } from '../ledger/model/submission-types';
import { PROBLEM_CODES } from '../manifests/problems/problem-codes';
import { type Problem } from '../manifests/problems/problems';
import { type ManifestReading } from '../manifests/types';

/**
 * States after which nothing of a row is at the service, or will be. One that is planned may be sent by its own ledger, and
 * a cancelled one may have been given up while it was sent.
 */
const NOT_SENT: ReadonlySet<string> = new Set(['failed', 'rejected', '']);

/**
 * Rows of a results sheet that the ledger doesn't know: a key was changed, or the sheet is from another ledger, and says
 * that they were sent. They would be published as new ones.
 */
export function unknownRows({ rows, campaign }: ManifestReading, plan: Plan): Problem[] {
  const isKnown = plan.rows.some(({ state }) => state !== null);
  const created = new Set(
    plan.rows.flatMap(({ state, position }) => (state === null && position !== null ? [position] : [])),
  );
  return rows.flatMap((row): Problem[] => {
    const { recordedState: state, position, line, key, skip } = row;
    if (state === undefined || skip || !created.has(position)) return [];
    if (!isKnown && NOT_SENT.has(state)) return [];
    const why = isKnown ? `campaign ${campaign} has no such row` : `this ledger doesn’t know the campaign ${campaign}`;
    return [
      {
        ...{ code: 'row-unknown', severity: 'error', line, column: 'reelay_key', value: key },
        message: `The sheet has the row with key “${key}” as ${state === '' ? 'sent before' : state}, but ${why}: it would be published as a new one.`,
        hint: PROBLEM_CODES['row-unknown'].fix,
      },
    ];
  });
}
