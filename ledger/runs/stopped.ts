import { gateScope, gatesOfKind } from './gates';
import { type Db } from '../engine/store';

/** Scopes of a run in which tolerance has stopped everything: the whole run, or some of its channels. */
export interface Stopped {
  all: boolean;
  /** Ids of channels in the ledger. */
  channelIds: number[];
}

export async function stoppedIn(db: Db, runId: number): Promise<Stopped> {
  const gates = await gatesOfKind(db, { kind: 'stopped' });
  if (gates.length === 0) return { all: false, channelIds: [] };
  const run = await db
    .selectFrom('runs')
    .select(['campaign', 'number'])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  const own = gateScope.run(run);
  const scopes = new Set(gates.map((gate) => gate.scope));
  if (scopes.has(own)) return { all: true, channelIds: [] };
  const prefix = gateScope.runChannel(run, '');
  const texts = [...scopes].flatMap((scope) => (scope.startsWith(prefix) ? [scope.slice(prefix.length)] : []));
  if (texts.length === 0) return { all: false, channelIds: [] };
  const channels = await db.selectFrom('channels').select('id').where('text_id', 'in', texts).execute();
  return { all: false, channelIds: channels.map((channel) => channel.id) };
}
