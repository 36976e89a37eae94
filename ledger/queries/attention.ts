import { acceptedRows } from '../rows/accepted';
import { DISPUTED_CODES } from '../attempts/second-publications';
import { type Store } from '../engine/store';
import { type AttentionRow, type RowValues, type RunRef } from '../model/types';

function asking(store: Store, campaign: string) {
  return acceptedRows(store.db)
    .where('rows.campaign', '=', campaign)
    .where((eb) => eb.or([eb('rows.state', '=', 'unconfirmed'), eb('rows.code', 'in', [...DISPUTED_CODES])]));
}

/** Rows of the campaign that only a person can settle, in the manifest's order. `limit`: 100,000 by default. */
export async function needsPerson(store: Store, run: RunRef, limit = 100_000): Promise<AttentionRow[]> {
  return attentionRows(asking(store, run.campaign).limit(limit));
}

/** Some rows with what a person has to know of them, in the manifest's order. */
export async function attentionRows(some: ReturnType<typeof acceptedRows>): Promise<AttentionRow[]> {
  const rows = await some
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select([
      'rows.id',
      'rows.line',
      'rows.key',
      'rows.state',
      'rows.account',
      'rows.code',
      'rows.message',
      'rows.candidates',
      'channels.text_id',
      'channels.label',
      'entries.values',
    ])
    .orderBy('rows.position')
    .orderBy('rows.id')
    .execute();
  return rows.map((row) => ({
    rowId: row.id,
    line: row.line,
    key: row.key,
    state: row.state,
    account: row.account,
    channelId: row.text_id,
    channel: row.label,
    code: row.code,
    message: row.message,
    candidates: row.candidates === null ? [] : (JSON.parse(row.candidates) as string[]),
    values: JSON.parse(row.values) as RowValues,
  }));
}

/** Rows of the campaign that may be out twice, or whose publication is another row's. */
export async function disputedRows(store: Store, run: RunRef): Promise<number> {
  const { rows } = await store.db
    .selectFrom('rows')
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .where('campaign', '=', run.campaign)
    .where('code', 'in', [...DISPUTED_CODES])
    .executeTakeFirstOrThrow();
  return Number(rows);
}
