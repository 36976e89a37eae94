import { makeAdoptedRow } from './adopt-new';
import { noteDecision } from '../rows/decisions';
import { LedgerFaultError, LedgerStateError } from '../model/errors';
import { type ResolveInput } from './resolve';
import { openRun } from './open-run';
import { ownPublication } from '../publications/publications';
import { moveRowBy } from '../rows/rows';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { type Store, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type RowValues, type RunRef } from '../model/types';
import { recordEnd } from '../attempts/watch';

export interface AdoptInput {
  campaign: string;
  key: string;
  account: string;
  /** The publication's platform: a key may have a row on each. Null where the service shows none. */
  platform: string | null;
  /** Where the key has rows of several profiles. */
  profileId?: string;
  publicationId: string;
  status: string;
  /** The publication's end, if a read showed that it has ended. */
  end?: Extract<ResolveInput['decision'], { kind: 'published' }>['end'];
  by: string;
  /** The values of a new row, if the campaign has none with this key; without them, that is an error. */
  make?: RowValues;
}

/**
 * The attempt outcomes that lead from each state to a settled create. A row in any other state has its publication, or
 * may have one.
 */
const PATHS: Readonly<Partial<Record<RowState, readonly RowState[]>>> = {
  planned: ['creating'],
  waiting: ['creating'],
  rejected: ['planned', 'creating'],
  failed: ['planned', 'creating'],
  cancelled: ['planned', 'creating'],
};

/**
 * Makes an existing publication the row's own: from then on it is followed, or kept if it has ended.
 * @throws LedgerStateError if the row already has one, is being created, or the publication is another row's
 */
export async function adopt(store: Store, input: AdoptInput): Promise<{ state: RowState; run: RunRef | null }> {
  const { publicationId, status, end, by } = input;
  return store.write(async (tx) => {
    const now = store.now();
    const row = (await rowToAdopt(tx, input)) ?? (await makeRow(tx, input, now));
    const path = PATHS[row.state];
    if (path === undefined || (row.state === 'cancelled' && row.sent === 1)) throw notAdoptable(row);
    const owner = await ownPublication(tx, {
      account: row.account,
      publicationId,
      rowId: row.id,
      how: 'named',
      at: now,
    });
    if (owner !== row.id) {
      throw new LedgerStateError(`publication ${publicationId} belongs to another row; nothing was changed`);
    }
    await noteDecision(tx, { rowId: row.id, kind: 'adopted', publicationId, by, at: now });
    // A draft is kept and an end is recorded; a publication that is still processing needs a run that follows it.
    const followed = end === undefined && status !== 'draft' ? await openRun(tx, input.campaign, by, now) : null;
    const { giveUpAfterMs } = await settingsOf(store, tx, row.entry_snapshot);
    const state = await moveRowBy(tx, row, [...path, status === 'draft' ? 'drafted' : 'processing'], now, {
      publication_id: publicationId,
      publish_id: null,
      status,
      code: null,
      message: `adopted by ${by}`,
      column_name: null,
      candidates: null,
      created_at: now,
      deadline: now + giveUpAfterMs,
      sent: 1,
      ...(followed === null ? {} : { run_id: followed.id }),
    });
    if (end !== undefined) {
      await recordEnd(tx, { message: `adopted by ${by}`, ...end, rowId: row.id, publicationId }, now);
      return { state: end.state, run: null };
    }
    return { state, run: followed === null ? null : { campaign: followed.campaign, number: followed.number } };
  });
}

async function rowToAdopt(tx: Tx, input: AdoptInput): Promise<RowRecord | null> {
  const { campaign, key, account, platform, profileId } = input;
  let rows = tx
    .selectFrom('rows')
    .selectAll()
    .where('campaign', '=', campaign)
    .where('key', '=', key)
    .where('account', '=', account);
  if (platform !== null) rows = rows.where('platform', '=', platform);
  if (profileId !== undefined) rows = rows.where('profile_id', '=', profileId);
  const found = await rows.execute();
  const [row] = found;
  if (row === undefined) return null;
  if (found.length === 1) return row;
  const places = found.map((one) => `${one.platform}, profile ${one.profile_id || 'default'}`).join('; ');
  throw new LedgerStateError(`key ${key} has several rows (${places}); choose one with --profile`);
}

async function makeRow(tx: Tx, input: AdoptInput, now: number): Promise<RowRecord> {
  const { campaign, key, account, platform, make, end } = input;
  if (make === undefined || end?.state === 'failed') {
    const where = platform === null ? '' : ` on ${platform}`;
    const why = make === undefined ? '' : ', and a failed publication can’t start a new row';
    throw new LedgerStateError(
      `campaign ${campaign} has no row with the key ${key} in account ${account}${where}${why}`,
    );
  }
  await makeAdoptedRow(tx, { campaign, key, account, values: make }, now);
  const row = await rowToAdopt(tx, { ...input, profileId: make.profileId ?? '' });
  if (row === null) throw new LedgerFaultError(`the row of key ${key} could not be made`);
  return row;
}

function notAdoptable(row: RowRecord): LedgerStateError {
  const has = row.publication_id === null ? '' : ` with publication ${row.publication_id}`;
  const hint =
    row.state === 'unconfirmed' ? '; settle it with `reelay resolve`' : '; a row has at most one publication';
  return new LedgerStateError(`row ${row.line} (key ${row.key}) is ${row.state} already${has}${hint}`);
}
