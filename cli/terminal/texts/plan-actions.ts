import { type PlanAction } from '../../../ledger/model/submission-types';

/** What the words of `reelay plan` mean: what a submit does with a row. */
export const ACTION_MEANING: Readonly<Record<PlanAction, string>> = {
  create: 'a new row; it is sent',
  update: 'not sent yet; takes the new values',
  continue: 'not sent yet, and unchanged; it stays in its run',
  attempt: 'failed or rejected, and corrected since; it is sent again',
  recreate: 'cancelled before it was sent, and planned again; or a draft that a new publication replaces',
  patch: 'a draft that is changed at the service',
  leave: 'nothing to do: it has ended, or is under way',
  'too-late': 'changed, but it is being sent already; it stays as it was accepted',
  differs: 'changed, but it is live already; it stays as it was sent',
  skip: 'the manifest says skip',
  refuse: 'has an error; it refuses the manifest',
  prune: 'no longer in the manifest; it is cancelled',
  keep: 'not in this file; it stays as it is',
};

/** One line for each of these actions whose word doesn't explain itself. */
export function actionLines(actions: Readonly<Partial<Record<PlanAction, number>>>): string[] {
  return Object.entries(ACTION_MEANING)
    .filter(([action]) => action !== 'create' && (actions[action as PlanAction] ?? 0) > 0)
    .map(([action, meaning]) => `  ${action}: ${meaning}`);
}
