import { type ActivityContext } from '../context';
import { type CreatePublicationsInput, type RowResult } from '../contract';
import { deleteReplaced } from './drafts/delete-replaced';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';
import { readEarlier } from './drafts/earlier-publication';
import { recordOutcome } from './recording';
import { type Turn } from './places/turns';
import { usableAccount } from '../accounts/usable-account';
import { type EntryPlace, type AttemptOutcome } from '../../ledger/model/attempt-types';
import { NEAR_MS } from '../../ledger/channels/pages';
import { channelLabel } from '../../ledger/model/labels';
import { type Claimed, send } from './send-row';
import { type CreateDeps } from './create-deps';

export async function createOne(
  deps: CreateDeps,
  input: CreatePublicationsInput,
  { id: rowId, account, earlier }: { id: number; account: string; earlier: readonly string[] },
  context: ActivityContext,
): Promise<RowResult> {
  // Before the claim, so that a missing key never leaves an attempt behind.
  const connection = usableAccount(deps, account);
  if (connection === null) return { id: rowId, result: 'unreachable', state: 'planned', code: 'no-account' };
  const until = deps.now() + deps.timings.slotWaitMs;
  let turn: Turn | undefined;
  const row: Tried = { id: rowId, account, earlier, connection, onClaimed: () => turn?.end() };
  try {
    while (true) {
      const tried = await tryToCreate(deps, input, row, context);
      if (!('again' in tried)) return tried;
      // A slot that becomes free soon is waited for here, which is cheaper and more precise than another round trip
      // through Temporal. Other channels may be able to send meanwhile, so the process's slot is released.
      const isOver = () => deps.now() >= until || context.shuttingDown() || context.cancelled.aborted;
      if (isOver()) return tried.again;
      if (tried.again.code === 'paced' && turn === undefined) {
        turn = await deps.turns(input.channelId).take();
        if (isOver()) return tried.again;
        // By now the slot is either another row's or this one's.
        continue;
      }
      await context.pause(tried.waitMs);
    }
  } finally {
    turn?.end();
  }
}

interface Tried {
  id: number;
  account: string;
  earlier: readonly string[];
  connection: AccountConnection;
  onClaimed: () => void;
  /** The values that were compared with the account's unowned publications. */
  compared?: EntryPlace;
}

/** One try with a slot in this process; `again`: the ledger has no free slot now, or the slot comes in a moment. */
async function tryToCreate(
  deps: CreateDeps,
  input: CreatePublicationsInput,
  row: Tried,
  context: ActivityContext,
): Promise<RowResult | { again: RowResult; waitMs: number }> {
  const { id: rowId, account, earlier, connection } = row;
  return deps.slots(account).use(async () => {
    const settled = await readEarlier(deps, connection, { rowId, earlier }, context.cancelled);
    if (settled !== null) return settled;
    const { compared } = row;
    const claim = await deps.ledger.claim({ rowId, run: input.run, worker: deps.worker.id, now: deps.now(), compared });
    if (!claim.claimed) {
      if (claim.reason === 'unowned') {
        const found = await deps.witness.compareRow(rowId);
        if (found.state !== null) return { id: rowId, result: 'done', state: found.state };
        row.compared = found.compared;
        return { again: { id: rowId, result: 'later', state: claim.state, code: claim.reason }, waitMs: 0 };
      }
      const again: RowResult = { id: rowId, result: 'later', state: claim.state, code: claim.reason };
      if (claim.reason === 'busy') return { again, waitMs: 50 + Math.random() * 200 };
      const slotAt = claim.reason === 'paced' && claim.readyAt !== undefined ? Date.parse(claim.readyAt) : Infinity;
      const slotIn = slotAt - deps.now();
      return slotIn <= NEAR_MS ? { again, waitMs: Math.max(slotIn, 1) } : again;
    }

    row.onClaimed();
    const began = deps.now();
    const outcome = await send(deps, connection, rowId, claim, context);
    const tookMs = deps.now() - began;
    const recorded = await recordOutcome({ ...deps, pause: context.pause }, rowId, claim.attempt, outcome);
    logOutcome(deps, input, claim, outcome);
    if (recorded.conflict !== undefined) {
      deps.log.error('a second publication exists for one row', {
        row: rowId,
        line: claim.line,
        what: recorded.conflict,
      });
    }
    const created = outcome.kind === 'accepted' || outcome.kind === 'submitted';
    if (created && earlier.length > 0) {
      for (const id of await deps.ledger.replacedDrafts(rowId)) await deleteReplaced(deps, connection, rowId, id);
    }
    return { ...toResult(rowId, recorded.state, outcome, deps.now()), tookMs };
  }, input.channelId);
}

/** One line per row: what it was sent as, or why not. */
function logOutcome(
  deps: ActivityDeps,
  { run }: CreatePublicationsInput,
  claim: Claimed,
  outcome: AttemptOutcome,
): void {
  const about = {
    run: `${run.campaign}.${run.number}`,
    channel: channelLabel(claim.values),
    row: claim.line,
    key: claim.key,
    attempt: claim.attempt,
  };
  switch (outcome.kind) {
    case 'accepted':
      deps.log.info('created', { ...about, publication: outcome.publicationId });
      return;
    case 'submitted':
      deps.log.info('submitted', { ...about, publication: outcome.publishId });
      return;
    case 'rejected':
    case 'never-sent':
    case 'auth-refused':
    case 'unknown':
      deps.log.warn(OUTCOME_WORDS[outcome.kind], { ...about, code: outcome.code, why: outcome.message });
  }
}

const OUTCOME_WORDS = {
  rejected: 'rejected',
  'never-sent': 'not sent',
  'auth-refused': 'access refused',
  unknown: 'may have been created',
} as const;

function toResult(rowId: number, state: string, outcome: AttemptOutcome, now: number): RowResult {
  switch (outcome.kind) {
    case 'never-sent': {
      if (outcome.retryAt !== undefined) {
        return { id: rowId, result: 'later', state, code: outcome.code, waitMs: Math.max(outcome.retryAt - now, 0) };
      }
      return { id: rowId, result: outcome.code === 'unreachable' ? 'unreachable' : 'later', state, code: outcome.code };
    }
    case 'auth-refused':
      return { id: rowId, result: 'refused-access', state, code: outcome.code };
    case 'unknown': {
      const waitMs = outcome.notBefore === undefined ? 0 : Math.max(outcome.notBefore - now, 0);
      return { id: rowId, result: 'done', state, code: outcome.code, ...(waitMs > 0 ? { waitMs } : {}) };
    }
    case 'accepted':
    case 'submitted':
    case 'rejected':
      return { id: rowId, result: 'done', state };
  }
}
