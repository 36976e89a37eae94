import { type Context } from '../context';
import { type Outcome, type Privacy, type PublicationRecord, type Status, statusAt } from './records';
import { Refusal } from '../routes/refusal';

/** A publication with its current status. Times are ms since 1970. */
export interface PublicationState extends Readonly<PublicationRecord> {
  readonly status: Status;
}

/** The outcome with which a publication ends at once. */
export interface SettleInput {
  outcome: Exclude<Outcome, 'never'>;
  reason?: string;
}

/** What a person or a moderator may change on the platform once a publication is published. */
export interface EditInput {
  title?: string;
  description?: string;
  privacy?: Privacy;
}

/** All publications that exist now, oldest first. */
export function publicationStates({ store }: Context): PublicationState[] {
  const now = Date.now();
  return store.ordered().map((record) => ({ ...record, status: statusAt(record, now) }));
}

/**
 * Ends a publication now, whatever outcome it was to have.
 * @throws Refusal if there is no such publication, or the outcome isn't valid.
 */
export async function settle(context: Context, id: string, input: SettleInput): Promise<void> {
  const record = find(context, id);
  const { outcome, reason = null } = input;
  if (!['published', 'failed'].includes(outcome)) {
    throw new Refusal(400, 'invalid_request', 'outcome must be published or failed');
  }
  await context.store.change(record, { given: 'processing', processingAt: null, dueAt: Date.now(), outcome, reason });
}

/**
 * Changes what a publication shows, whatever its status: the interface has no request for that (section 3, rule 1).
 * @throws Refusal if there is no such publication.
 */
export async function edit(context: Context, id: string, { title, description, privacy }: EditInput): Promise<void> {
  await context.store.change(find(context, id), {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(privacy === undefined ? {} : { privacy }),
  });
}

function find(context: Context, id: string): PublicationRecord {
  const record = context.store.get(id);
  if (record === undefined) throw new Refusal(404, 'publication_not_found', 'publication not found');
  return record;
}
