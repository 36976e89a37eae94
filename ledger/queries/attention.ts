import { lostAttempt } from '../attempts/lost-attempts';
import { WORKER_SILENT } from '../attempts/settle';
import { acceptedRows } from '../rows/accepted';
import { placesOf } from '../rows/line-in-manifest';
import { readChannelNames } from '../rows/channel-names';
import { DISPUTED_CODES } from '../attempts/second-publications';
import { type Store } from '../engine/store';
import { type AttentionRow } from '../model/result-types';
import { type RowValues, type RunRef } from '../model/types';

function asking(store: Store, campaign: string) {
  return acceptedRows(store.db)
    .where('rows.campaign', '=', campaign)
    .where((eb) => eb.or([eb('rows.state', '=', 'unconfirmed'), eb('rows.code', 'in', [...DISPUTED_CODES])]));
}

/** Rows of the campaign that only a person can settle, in the manifest's order. `limit`: 100,000 by default. */
export async function needsPerson(store: Store, run: RunRef, limit = 100_000): Promise<AttentionRow[]> {
  return attentionRows(store, asking(store, run.campaign).limit(limit));
}

/**
 * Rows of the campaign that a person may settle: unconfirmed ones, and those whose answer was lost and that are still
 * being looked for. Not those whose create may be under way.
 */
export async function resolvable(store: Store, run: RunRef): Promise<AttentionRow[]> {
  return attentionRows(
    store,
    acceptedRows(store.db)
      .where('rows.campaign', '=', run.campaign)
      .where((eb) =>
        eb.or([
          eb('rows.state', '=', 'unconfirmed'),
          eb.and([eb('rows.state', '=', 'creating'), eb.exists(lostAttempt(eb))]),
        ]),
      ),
  );
}

/** Some rows with what a person needs to know about them, in the manifest's order. */
export async function attentionRows(store: Store, some: ReturnType<typeof acceptedRows>): Promise<AttentionRow[]> {
  const rows = await some
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .leftJoin('attempts', (join) =>
      join.onRef('attempts.row_id', '=', 'rows.id').onRef('attempts.number', '=', 'rows.attempts'),
    )
    .select(['attempts.number as attempt', 'attempts.ended_at as attempt_ended', 'attempts.code as attempt_code'])
    .select([
      'rows.id',
      'rows.campaign',
      'rows.snapshot_id',
      'rows.line',
      'rows.key',
      'rows.state',
      'rows.account',
      'rows.profile_id',
      'rows.platform',
      'rows.code',
      'rows.message',
      'rows.candidates',
      'rows.attempts',
      'channels.text_id',
      'channels.label',
      'entries.values',
    ])
    .orderBy('rows.position')
    .orderBy('rows.id')
    .execute();
  const nameOf = await readChannelNames(store.db);
  const places = await placesOf(store.db, rows);
  return rows.map((row, at) => ({
    rowId: row.id,
    line: places[at]?.line ?? row.line,
    file: places[at]?.file ?? null,
    key: row.key,
    state: row.state,
    account: row.account,
    channelId: row.text_id,
    channel: nameOf({ ...row, profileId: row.profile_id === '' ? null : row.profile_id }),
    code: row.code,
    message: row.message,
    candidates: row.candidates === null ? [] : (JSON.parse(row.candidates) as string[]),
    values: JSON.parse(row.values) as RowValues,
    attempts: row.attempts,
    isAttemptOver: row.attempt === null || (row.attempt_ended !== null && row.attempt_code !== WORKER_SILENT),
  }));
}

/** Rows of the campaign that may be published twice, or whose publication is another row's. */
export async function disputed(store: Store, run: RunRef): Promise<number> {
  const { rows } = await store.db
    .selectFrom('rows')
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .where('campaign', '=', run.campaign)
    .where('code', 'in', [...DISPUTED_CODES])
    .executeTakeFirstOrThrow();
  return Number(rows);
}
