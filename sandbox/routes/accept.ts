import { randomUUID } from 'node:crypto';
import { type Context } from '../context';
import { type FaultAction } from '../faults/fault-rules';
import { seededRandom } from '../random';
import { type Outcome, type PublicationRecord } from '../store/records';
import { type NewPublication } from '../store/store';

type OutcomeAction = FaultAction & { kind: 'outcome' };

/** The content of a request; its outcome is decided here. */
export type Submission = Omit<NewPublication, 'id' | 'given' | 'processingAt' | 'dueAt' | 'outcome' | 'reason'> & {
  draft: boolean;
};

/**
 * Stores a publication and decides its outcome: how long the background upload takes and how it ends, both by the seed
 * and the number of the publication. Resolves once it is in the log.
 */
export async function acceptPublication(
  context: Context,
  submission: Submission,
  outcome?: OutcomeAction,
): Promise<PublicationRecord> {
  const { draft, ...fields } = submission;
  const n = context.store.nextNumber();
  const fate = decideFate(context, n, outcome);
  const publication: NewPublication = {
    ...fields,
    id: randomUUID(),
    given: draft ? 'draft' : 'processing',
    processingAt: null,
    dueAt: draft ? null : Date.now() + fate.afterMs,
    outcome: fate.outcome,
    reason: fate.reason,
  };
  return context.store.accept(n, publication, fields.kind !== 'direct' || context.options.open.directListed);
}

/** Time of the background upload (ms) and its end. */
export function decideFate(
  context: Context,
  n: number,
  outcome?: OutcomeAction,
): { afterMs: number; outcome: Outcome; reason: string | null } {
  const { processing, seed } = context.options;
  const afterMs =
    outcome?.afterMs ?? processing.minMs + seededRandom(seed, n, 1) * (processing.maxMs - processing.minMs);
  const end = outcome?.outcome ?? (seededRandom(seed, n, 2) < processing.failureShare ? 'failed' : 'published');
  const reason = end === 'failed' ? (outcome?.reason ?? 'The platform could not process the video.') : null;
  return { afterMs: Math.round(afterMs), outcome: end, reason };
}
