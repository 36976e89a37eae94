import { type ActivityContext } from '../context';
import { type CreatePublicationsInput, type CreatePublicationsResult, type RowResult } from '../contract';
import { inParallel } from '../in-parallel';
import { type CreateDeps } from './create-deps';
import { createOne } from './create-row';
import { demandBaseline, demandWitness } from './account-ready';

/** After one of these, the channel's other rows would fail the same way. */
const STOPS: ReadonlySet<RowResult['result']> = new Set(['unreachable', 'refused-access']);
const HOLDS_CHANNEL: ReadonlySet<string> = new Set(['paced', 'canary', 'paused', 'parked', 'stopped']);

/**
 * Creates the publications of some rows of a channel, in order and a few at once: each is claimed, sent and recorded.
 * The claim is a transaction in the ledger and the only permission to send; the record is written before anything else
 * happens. Failures of a row are data. Based on the interface's section 4.5.
 */
export async function createPublications(
  deps: CreateDeps,
  input: CreatePublicationsInput,
  context: ActivityContext,
): Promise<CreatePublicationsResult> {
  await deps.spool.drainInto(deps.ledger, deps.log);
  const rows: RowResult[] = [];
  const [first] = input.rowIds;
  if (first === undefined) return { rows };
  const expected = input.sequence ?? 0;
  if ((await deps.ledger.holdIfBehind(expected)) < expected) {
    deps.log.error('ledger-rolled-back: an older copy of the ledger was restored; nothing more is sent');
    return { rows: [{ id: first, result: 'later', state: 'planned', code: 'paused' }] };
  }
  // All rows are on one channel, so in one account.
  const account = await deps.ledger.accountOf(first);
  const earlier = await deps.ledger.earlier(input.rowIds);
  const unread = (await demandBaseline(deps, input, account)) ?? (await demandWitness(deps, account));
  if (unread !== null) return { rows: [{ id: first, ...unread }] };
  let stopped = false;
  await inParallel(input.places ?? 1, input.rowIds, async (id) => {
    if (stopped || context.shuttingDown() || context.cancelled.aborted) {
      rows.push({ id, result: 'later', state: 'planned' });
      return;
    }
    const row = await createOne(deps, input, { id, account, earlier: earlier.get(id) ?? [] }, context);
    rows.push(row);
    stopped ||= STOPS.has(row.result) || HOLDS_CHANNEL.has(row.code ?? '') || (row.waitMs ?? 0) > 0;
  });
  return { rows, sequence: await deps.ledger.sequence() };
}
