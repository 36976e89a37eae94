import { type RunRef } from '../../../ledger/model/types';
import { ServiceError } from '../../../service/errors';
import { type AccountConnection } from '../../../service/accounts';
import { type ActivityDeps } from '../../deps';
import { usableAccount } from '../../accounts/usable-account';

/** The draft's record is deleted once its replacement exists. A failure here loses nothing: the draft publishes nothing. */
export async function deleteReplaced(
  deps: ActivityDeps,
  { client }: AccountConnection,
  rowId: number,
  publicationId: string,
): Promise<void> {
  try {
    await client.deletePublication(publicationId).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.kind === 'not-found')) throw error;
    });
    await deps.ledger.noteDeleted({ rowId, publicationId, by: 'reelay' });
  } catch (error) {
    deps.log.warn('the record of a replaced draft could not be deleted; the next scan tries again', {
      row: rowId,
      publication: publicationId,
      why: String(error),
    });
  }
}

/** Deletes drafts that a crash, a lost answer or a refusal left after their replacement was created. */
export async function deleteLeftDrafts(deps: ActivityDeps, run: RunRef): Promise<void> {
  for (const { rowId, account, publicationId } of await deps.ledger.leftDrafts(run.campaign)) {
    const connection = usableAccount(deps, account);
    if (connection !== null) await deleteReplaced(deps, connection, rowId, publicationId);
  }
}
