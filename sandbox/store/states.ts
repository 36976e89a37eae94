import { type Context } from '../context';
import { type Outcome, type PublicationRecord, type Status, statusAt } from './records';
import { Refusal } from '../routes/refusal';

/** A publication with the status it has now. Times are ms since 1970. */
export interface PublicationState extends Readonly<PublicationRecord> {
  readonly status: Status;
}

/** How a publication is to end at once. */
export interface SettleInput {
  outcome: Exclude<Outcome, 'never'>;
  reason?: string;
}

/** All publications that exist now, oldest first. */
export function publicationStates({ store }: Context): PublicationState[] {
  const now = Date.now();
  return store.ordered().map((record) => ({ ...record, status: statusAt(record, now) }));
}

/**
 * Ends a publication now, whatever its fate was.
 *
 * @throws Refusal when there is no such publication, or the outcome isn't one.
 */
export async function settle(context: Context, id: string, input: SettleInput): Promise<void> {
  const record = context.store.get(id);
  if (record === undefined) throw new Refusal(404, 'publication_not_found', 'publication not found');
  const { outcome, reason = null } = input;
  if (!['published', 'failed'].includes(outcome)) {
    throw new Refusal(400, 'invalid_request', 'outcome must be published or failed');
  }
  await context.store.change(record, { given: 'processing', processingAt: null, dueAt: Date.now(), outcome, reason });
}
