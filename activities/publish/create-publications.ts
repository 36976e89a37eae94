import { type CancelWatch } from './cancel-watch';
import { type ActivityContext } from '../context';
import { type CreatePublicationsInput, type CreatePublicationsResult, type RowResult } from '../contract';
import { type Departures } from './departures';
import { deleteReplaced } from './delete-replaced';
import { inParallel } from '../in-parallel';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';
import { readEarlier } from './earlier-publication';
import { classifyCreateFailure } from './failure-table';
import { recordOutcome } from './recording';
import { type Slots } from './slots';
import { type Turn, type Turns } from './turns';
import { type Spool } from './spool';
import { usableAccount } from '../accounts/usable-account';
import { sendDirect } from './send-direct';
import { takeBaselineOrNone } from './take-baseline';
import { ServiceError } from '../../service/errors';
import { type AttemptOutcome, type ClaimResult, type RowValues } from '../../ledger/model/types';
import { type CreatePublicationInput } from '../../service/api/create-input';
import { NEAR_MS } from '../../ledger/channels/channels';
import { channelLabel } from '../../ledger/model/labels';

/** After one of these, the channel's other rows would fail the same way. */
const STOPS: ReadonlySet<RowResult['result']> = new Set(['unreachable', 'refused-access']);
const HOLDS_CHANNEL: ReadonlySet<string> = new Set(['paced', 'canary', 'paused', 'parked', 'stopped']);

type CreateDeps = ActivityDeps & {
  spool: Spool;
  slots: (account: string) => Slots;
  turns: (channelId: string) => Turns;
  departures: Departures;
  cancels: CancelWatch;
  witness: Witness;
};
/** Compares the ledger with the service before this process sends the first row of an account. */
export interface Witness {
  check(connection: AccountConnection): Promise<'checked' | 'unreadable'>;
}
type Claimed = Extract<ClaimResult, { claimed: true }>;

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

/** Why rows of an account can't be created while its list can't be read; null if its baseline was taken. */
async function demandBaseline(
  deps: ActivityDeps,
  { run }: CreatePublicationsInput,
  account: string,
): Promise<Omit<RowResult, 'id'> | null> {
  const connection = usableAccount(deps, account);
  // Each row reports this itself.
  if (connection === null) return null;
  try {
    await takeBaselineOrNone(deps, run, connection);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    deps.log.warn('an account can’t be read, so nothing is created', { account, why: error.message });
    if (error.kind === 'access') {
      await deps.ledger.parkAccount({ account, reason: `account ${account}: ${error.message}` });
      return { result: 'refused-access', state: 'planned', code: `http-${error.status ?? 401}` };
    }
    const { throttledMs, retryAfterMaxMs } = deps.timings;
    if (error.kind !== 'throttled') return { result: 'unreachable', state: 'planned', code: 'unreachable' };
    const waitMs = Math.min(error.retryAfterMs ?? throttledMs, retryAfterMaxMs);
    return { result: 'later', state: 'planned', code: 'http-429', waitMs };
  }
}

/**
 * Why rows of an account can't be created until this ledger was compared with the account's list. If the list stays
 * unreadable while the rest of the service can be read, the account is parked, so that people see why; a person who
 * resumes it then takes responsibility for the ledger, for this process.
 */
async function demandWitness(deps: CreateDeps, account: string): Promise<Omit<RowResult, 'id'> | null> {
  const connection = usableAccount(deps, account);
  if (connection === null) return null;
  const waiting = `witness/${account}`;
  if ((await deps.witness.check(connection)) === 'checked') {
    deps.clock.forget(waiting);
    return null;
  }
  const unreachable = { result: 'unreachable', state: 'planned', code: 'unreachable' } as const;
  const elapsedMs = deps.clock.elapsed(waiting);
  if (await deps.ledger.wasResumed(account, deps.now() - elapsedMs)) return null;
  if (elapsedMs < deps.timings.settleMs) return unreachable;
  try {
    await connection.client.listProfiles();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return unreachable;
  }
  const reason = `account ${account}: its list can’t be read, so this ledger can’t be compared with what was sent before; it opens when the list can be read, or with \`reelay resume\` if this ledger isn’t an older copy`;
  await deps.ledger.parkAccount({ account, reason });
  return { result: 'later', state: 'planned', code: 'parked' };
}

async function createOne(
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
  const row = { id: rowId, account, earlier, connection, onClaimed: () => turn?.end() };
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

/** One try with a slot in this process; `again`: the ledger has no free slot now, or the slot comes in a moment. */
async function tryToCreate(
  deps: CreateDeps,
  input: CreatePublicationsInput,
  row: {
    id: number;
    account: string;
    earlier: readonly string[];
    connection: AccountConnection;
    onClaimed: () => void;
  },
  context: ActivityContext,
): Promise<RowResult | { again: RowResult; waitMs: number }> {
  const { id: rowId, account, earlier, connection } = row;
  return deps.slots(account).use(async () => {
    const settled = await readEarlier(deps, connection, { rowId, earlier }, context.cancelled);
    if (settled !== null) return settled;
    const claim = await deps.ledger.claim({ rowId, run: input.run, worker: deps.worker.id, now: deps.now() });
    if (!claim.claimed) {
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

async function send(
  deps: CreateDeps,
  connection: AccountConnection,
  rowId: number,
  claim: Claimed,
  context: ActivityContext,
): Promise<AttemptOutcome> {
  const { values } = claim;
  const upload = values.sourceKind === 'file';
  const cut = upload ? deps.cancels.watch(rowId) : null;
  let leaving = false;
  let answered = (): void => undefined;
  try {
    const options = {
      // A cancel interrupts only uploads: a small request in flight is faster to finish than to reconcile.
      ...(cut === null ? {} : { signal: AbortSignal.any([context.cancelled, cut.signal]) }),
      onProgress: (sent: number, total: number) => context.heartbeat({ line: claim.line, sent, total }),
      // The fence: a worker that slept after its claim must not send once its attempt has been given up.
      beforeSend: async () => {
        answered = await deps.departures.leave(claim.caps ?? [], () => demandPermission(deps, rowId, claim.attempt));
        leaving = true;
      },
    };
    if (values.via === 'direct') return await sendDirect(connection, values, options);
    const created = await connection.client.createPublication(toCreateInput(values), options);
    const { publication, message } = created;
    return {
      kind: 'accepted',
      publicationId: publication.id,
      status: publication.status ?? 'unknown',
      ...(message === null ? {} : { message }),
    };
  } catch (error) {
    if (error instanceof NoPermissionError) return { kind: 'never-sent', code: error.code, message: error.message };
    return classifyCreateFailure(error, {
      now: deps.now(),
      timings: deps.timings,
      trust429: connection.trust429,
      leaving,
    });
  } finally {
    answered();
    cut?.release();
  }
}

function toCreateInput(values: RowValues): CreatePublicationInput {
  return {
    platform: values.platform,
    source:
      values.sourceKind === 'file' && values.source !== null
        ? {
            kind: 'file',
            path: values.source,
            ...(values.fileSize === undefined ? {} : { size: values.fileSize }),
            ...(values.fileModifiedMs === undefined ? {} : { modifiedMs: values.fileModifiedMs }),
          }
        : values.sourceKind === 'url' && values.source !== null
          ? { kind: 'url', url: values.source }
          : { kind: 'none' },
    // A row is never claimed as pending; a draft publishes nothing.
    status: values.status === 'pending' ? 'draft' : values.status,
    ...(values.title === null ? {} : { title: values.title }),
    ...(values.description === null ? {} : { description: values.description }),
    ...(values.privacy === null ? {} : { privacy: values.privacy }),
    ...(values.profileId === null ? {} : { profileId: values.profileId }),
  };
}

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

async function demandPermission(deps: ActivityDeps, rowId: number, attempt: number): Promise<void> {
  let open: boolean;
  try {
    open = await deps.ledger.maySend(rowId, attempt, deps.worker.id);
  } catch (error) {
    throw new NoPermissionError('ledger-unreadable', `the ledger can’t be read, so nothing was sent: ${String(error)}`);
  }
  if (!open)
    throw new NoPermissionError('given-up', `attempt ${attempt} of row ${rowId} was given up before it was sent`);
}

/** Thrown right before the first byte: nothing was sent. */
class NoPermissionError extends Error {
  constructor(
    readonly code: 'given-up' | 'ledger-unreadable',
    message: string,
  ) {
    super(message);
    this.name = 'NoPermissionError';
  }
}
