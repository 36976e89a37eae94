import { findAttempt } from '../attempts/attempt-records';
import { lostAttempt } from '../attempts/lost-attempts';
import { valuesAt } from '../rows/accepted';
import { noteDecision } from '../rows/decisions';
import { LedgerStateError } from '../model/errors';
import { shortMessage } from '../model/labels';
import { DRAFT_UNPROVEN } from '../publications/earlier';
import { ownerRow } from '../publications/publications';
import { moveRow, RESET_FOR_RETRY } from '../rows/rows';
import { followPublication, markSettled } from '../attempts/settle';
import { GIVEN_UP, type RowState } from '../model/states';
import { type Store, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type PublicationEnd } from '../model/result-types';
import { type RunRef } from '../model/types';
import { recordEnd } from '../attempts/watch';
import { openRun } from './open-run';

/** The code of a direct publish that is live according to a person. */
const SAID_PUBLISHED = 'said-published';

export interface ResolveInput {
  run: RunRef;
  key: string;
  /** Needed when the key has unconfirmed rows in several channels. */
  channelId?: string;
  /** How many creates the row had when it was decided: it is refused if it was sent again since. */
  attempts?: number;
  decision:
    | {
        kind: 'published';
        publicationId: string;
        status?: string;
        /** The publication's end, if a read showed that it has ended: then nothing is left to follow. */
        end?: Omit<PublicationEnd, 'rowId' | 'publicationId' | 'state'> & { state: 'published' | 'failed' };
      }
    /** A direct publish (interface, section 4.3): it is live, and its outcome can't be read. */
    | { kind: 'submitted'; publishId: string | null }
    | { kind: 'not-published' }
    | { kind: 'give-up' };
  by: string;
}

/**
 * Settles an unconfirmed row, or one whose lost answer is still being looked for, by a person's decision: it is that
 * publication, it is a direct publish that is live, it doesn't exist and is to be created, or it is given up.
 * @throws LedgerStateError if the key has no such row, or several, or it was sent again since, or isn't a direct publish
 */
export async function resolve(store: Store, input: ResolveInput): Promise<{ state: RowState; run: RunRef | null }> {
  return store.write(async (tx) => {
    const now = store.now();
    const row = await unconfirmedRow(tx, input, now);
    const { decision, by } = input;
    const named = decision.kind === 'published' ? { publicationId: decision.publicationId } : {};
    await noteDecision(tx, { rowId: row.id, kind: decision.kind, ...named, by, at: now });
    await markSettled(tx, row, row.attempts, { as: decision.kind, now });
    const made = { how: 'named', attempt: await findAttempt(tx, row.id, row.attempts), now } as const;
    if (decision.kind === 'not-published' && row.code === DRAFT_UNPROVEN) {
      for (const publicationId of JSON.parse(row.candidates ?? '[]') as string[])
        await noteDecision(tx, { rowId: row.id, kind: 'deleted', publicationId, by, at: now });
    }
    if (decision.kind === 'give-up') {
      const message = shortMessage(`given up by ${by}; it may have been published`);
      return { state: await moveRow(tx, row, 'cancelled', now, { code: GIVEN_UP, message }), run: null };
    }
    if (decision.kind === 'submitted') return { state: await saidSubmitted(tx, row, decision, { by, now }), run: null };
    if (decision.kind === 'published' && decision.end !== undefined) {
      const { publicationId, end } = decision;
      await followPublication(store, tx, row, { publicationId, status: end.status, ...made });
      await recordEnd(tx, { message: `named by ${by}`, ...end, rowId: row.id, publicationId }, now);
      return { state: end.state, run: null };
    }
    const run = await openRun(tx, input.run.campaign, by, now);
    const ref = { campaign: run.campaign, number: run.number };
    await tx.updateTable('rows').set({ run_id: run.id }).where('id', '=', row.id).execute();
    if (decision.kind === 'not-published') {
      const message = shortMessage(`${by} says it wasn't published`);
      const patch = { ...RESET_FOR_RETRY, message, accepted_at: now, ready_at: row.publish_at };
      return { state: await moveRow(tx, row, 'planned', now, patch), run: ref };
    }
    const { publicationId, status = 'processing' } = decision;
    return { state: await followPublication(store, tx, row, { publicationId, status, ...made }), run: ref };
  });
}

/** A direct publish ends with its acknowledgement: a person's confirmation replaces the one that was lost. */
async function saidSubmitted(
  tx: Tx,
  row: RowRecord,
  { publishId }: { publishId: string | null },
  { by, now }: { by: string; now: number },
): Promise<RowState> {
  const name = `row ${row.line} (key ${row.key})`;
  const { via } = await valuesAt(tx, { snapshot: row.entry_snapshot, position: row.entry_position });
  if (via !== 'direct') {
    throw new LedgerStateError(`${name} isn't a direct publish: the id of its publication is needed`);
  }
  if (publishId !== null) {
    const other = await ownerRow(tx, row.account, publishId);
    if (other !== null) {
      throw new LedgerStateError(
        `publish id ${publishId} is that of row ${other.line} (key ${other.key}) of campaign ${other.campaign}`,
      );
    }
  }
  const message = shortMessage(`${by} says it was published; no outcome can be read`);
  return moveRow(tx, row, 'submitted', now, { publish_id: publishId, code: SAID_PUBLISHED, message, candidates: null });
}

async function unconfirmedRow(
  tx: Tx,
  { run, key, channelId, attempts }: ResolveInput,
  now: number,
): Promise<RowRecord> {
  let rows = tx
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .selectAll('rows')
    .select('channels.text_id')
    .where('rows.campaign', '=', run.campaign)
    .where('rows.key', '=', key)
    .where((eb) =>
      eb.or([
        eb('rows.state', '=', 'unconfirmed'),
        eb.and([eb('rows.state', '=', 'creating'), eb.exists(lostAttempt(eb))]),
      ]),
    );
  if (channelId !== undefined) rows = rows.where('channels.text_id', '=', channelId);
  const found = await rows.execute();
  const [row] = found;
  if (!row) throw new LedgerStateError(`campaign ${run.campaign} has no unconfirmed row with the key ${key}`);
  if (found.length === 1) {
    if (attempts !== undefined && row.attempts !== attempts)
      throw new LedgerStateError(`row ${row.line} (key ${row.key}) was sent again meanwhile; nothing was settled`);
    if (row.state === 'creating') await moveRow(tx, row, 'unconfirmed', now);
    return { ...row, state: 'unconfirmed' };
  }
  const channels = found.map((other) => other.text_id).join(', ');
  throw new LedgerStateError(`key ${key} is unconfirmed in several channels; name one of them: ${channels}`);
}
