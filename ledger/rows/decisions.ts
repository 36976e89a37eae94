import { type Tx } from '../engine/store';

/** A decision that a person made about a row: kept permanently, with who and when. */
export type DecisionKind =
  | 'retry'
  | 'published'
  | 'submitted'
  | 'not-published'
  | 'give-up'
  | 'reconciled'
  | 'adopted'
  | 'edited'
  | 'deleted'
  | 'patched'
  | 'replaced'
  /** What `recheck` saw of its publication. */
  | `seen-${string}`;

export async function noteDecision(
  tx: Tx,
  decision: { rowId: number; kind: DecisionKind; publicationId?: string; by: string; at: number },
): Promise<void> {
  const { rowId, kind, publicationId = null, by, at } = decision;
  await tx.insertInto('decisions').values({ row_id: rowId, kind, publication_id: publicationId, by, at }).execute();
}
