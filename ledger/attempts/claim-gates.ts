import { type Tx, iso } from '../engine/store';
import { canaryOf } from '../channels/canary';
import { HELD_UNTIL } from '../channels/channels';
import { type ChannelPace, claimSlot } from '../channels/pacing';
import { gateScope, putGate, strongest } from '../runs/gates';
import { DEADLINE_PASSED, LATE_AFTER_MS, SOURCE_REPEATED } from '../model/converge';
import { type RowState } from '../model/states';
import { type ClaimRequest, type ClaimResult } from '../model/attempt-types';
import { type CampaignSettings, type RowValues } from '../model/types';
import { moveRow, patchRow } from '../rows/rows';
import { sentElsewhere } from './sent-elsewhere';
import { findRefused, lookForRefused } from './unproven-refusals';

/** A row with everything that its claim depends on. */
export interface ClaimRow {
  id: number;
  account: string;
  key: string;
  line: number;
  channel_id: number;
  source_hash: string;
  snapshot_id: number;
  text_id: string;
  state: RowState;
  publish_at: number;
  ready_at: number;
  accepted_at: number;
  attempts: number;
  run_id: number | null;
  campaign: string;
  number: number | null;
  open: number | null;
  run_snapshot: number | null;
  entry_snapshot: number;
  entry_position: number;
  values: string;
  profile_id: string;
  platform: string;
  channel_label: string;
  set_live: number | null;
  /** Set by `forgetWorker` for the worker that asks, in ms; null: the worker isn't registered. */
  registered_at: number | null;
  /** Null: no person gave it up. */
  forgotten_at: number | null;
  /** Set if a reconciliation found publications of the account that no row owned. */
  unowned: number | null;
}

/**
 * A row that asks to be sent, and what the claim's transaction knows about it. Values that cost a query are read only
 * when a gate needs them.
 */
export interface Candidate {
  row: ClaimRow;
  request: ClaimRequest;
  tx: Tx;
  values: RowValues;
  settings: () => Promise<CampaignSettings>;
  /** Of any campaign, as of one of its manifests. */
  settingsAt: (snapshotId: number) => Promise<CampaignSettings>;
  /** The gates that hold its run, channel or account, each with the open creates of its channel and account. */
  gatesAndOpen: () => Promise<{ kind: string | null; channel: number | string; account: number | string }[]>;
  pace: () => Promise<ChannelPace>;
}

type Refused = Omit<Extract<ClaimResult, { claimed: false }>, 'claimed' | 'state'>;

/**
 * Why a gate refuses. A gate only reads; `effect` is the change that the claim then makes to the row, and returns the
 * row's state.
 */
interface Refusal extends Refused {
  effect?: () => Promise<RowState>;
}

type Gate = (candidate: Candidate) => Promise<Refusal | null>;

/** Every gate between a row and its create, in the order in which they are checked: the first refusal counts. */
export const CLAIM_GATES: readonly Gate[] = [
  stillHeld,
  stillUnsent,
  notGated,
  onTime,
  notSentElsewhere,
  nothingUnproven,
  notUnowned,
  notLate,
  inManifest,
  beforeDeadline,
  pastCanary,
  withinPace,
  hasFreePlace,
];

/** The run that asks is open, and the row is still its own. */
async function stillHeld({ row, request: { run } }: Candidate): Promise<Refusal | null> {
  if (row.open === 1 && row.campaign === run.campaign && row.number === run.number) return null;
  return { reason: row.state === 'cancelled' ? 'cancelled' : 'not-held' };
}

/** No other worker has it. */
async function stillUnsent({ row }: Candidate): Promise<Refusal | null> {
  if (row.state === 'planned' || row.state === 'waiting') return null;
  return { reason: row.state === 'cancelled' ? 'cancelled' : 'taken' };
}

/** Nothing is paused, parked, stopped or cancelled. */
async function notGated({ row, request, tx, gatesAndOpen }: Candidate): Promise<Refusal | null> {
  const closed = strongest((await gatesAndOpen()).flatMap(({ kind }) => kind ?? []));
  if (closed !== 'cancelled') return closed === null ? null : { reason: closed };
  // A cancel that was killed after its commit had not reached this row.
  const why = { code: 'cancelled', message: 'cancelled with its run or channel' };
  return { reason: closed, effect: () => moveRow(tx, row, 'cancelled', request.now, why) };
}

/** Its time has come. */
async function onTime({ row, request: { now } }: Candidate): Promise<Refusal | null> {
  if (row.ready_at >= HELD_UNTIL) return { reason: 'late' };
  return row.ready_at > now ? { reason: 'not-ready', readyAt: iso(row.ready_at) } : null;
}

/** Its video did not go out in another row after this one had failed or was cancelled. */
async function notSentElsewhere({
  row,
  request: { now },
  tx,
  settings,
  settingsAt,
}: Candidate): Promise<Refusal | null> {
  if ((await settings()).repeat === 'allow') return null;
  const place = await sentElsewhere(tx, row, async (snapshotId) => (await settingsAt(snapshotId)).repeat);
  if (place === null) return null;
  const message = `the same source was sent to the same channel in ${place} since; to send it again, submit with repeat: allow`;
  return {
    reason: 'cancelled',
    effect: () => moveRow(tx, row, 'cancelled', now, { code: SOURCE_REPEATED, message }),
  };
}

/**
 * Whatever answer a create got, its video is sent a second time only once the account has no publication that could be
 * the first: a create that the service refused is looked for like a lost one, also by a row that takes the refused one's
 * place. A direct publish is exempt, because there is nothing to look for.
 */
async function nothingUnproven({ row, request: { now }, tx, settings }: Candidate): Promise<Refusal | null> {
  const refused = await findRefused(tx, row, async () => (await settings()).repeat);
  if (refused === undefined) return null;
  const effect = async () => {
    const attempts = await lookForRefused(tx, row, refused, now);
    return moveRow(tx, row, 'creating', now, { attempts, sent: 1 });
  };
  return { reason: 'unproven', effect };
}

/**
 * It can't be one of the publications that no row owned when the ledger was reconciled. The caller compares them,
 * since that takes long where there are many; the comparison counts for the values that it was made with.
 */
async function notUnowned({ row, request: { compared } }: Candidate): Promise<Refusal | null> {
  if (row.unowned === null) return null;
  const isCompared = compared?.snapshot === row.entry_snapshot && compared.position === row.entry_position;
  return isCompared ? null : { reason: 'unowned' };
}

/**
 * Its time was not missed. Values that were accepted after their time are meant to be sent; their lateness counts from
 * the acceptance.
 */
async function notLate(candidate: Candidate): Promise<Refusal | null> {
  const { row, request } = candidate;
  const { late } = await candidate.settings();
  const missedBy = request.now - Math.max(row.publish_at, row.accepted_at);
  if (late === 'publish' || row.publish_at <= 0 || missedBy <= LATE_AFTER_MS) return null;
  const message = `its time ${iso(row.publish_at)} was missed by more than 1 h`;
  return setAside(candidate, {
    policy: late,
    code: 'late',
    message,
    how: 'set a new time, or submit again with late: publish',
  });
}

/** A publication adopted by hand creates a row before any manifest has it. */
async function inManifest(candidate: Candidate): Promise<Refusal | null> {
  if (candidate.values.adopted !== true) return null;
  return setAside(candidate, {
    policy: 'hold',
    code: 'adopted',
    message: 'no manifest has the row yet',
    how: 'submit one',
  });
}

async function beforeDeadline(candidate: Candidate): Promise<Refusal | null> {
  const { deadline } = candidate.values;
  if (deadline === undefined || Date.parse(deadline) >= candidate.request.now) return null;
  const { late } = await candidate.settings();
  const message = `its deadline ${deadline} has passed`;
  return setAside(candidate, { policy: late, code: DEADLINE_PASSED, message, how: 'give it a later one' });
}

/** The canary rows of its channel succeeded, or it is one of them. */
async function pastCanary({ row, request, tx, pace }: Candidate): Promise<Refusal | null> {
  const at = { runId: row.run_id ?? 0, channelId: row.channel_id };
  const canary = await canaryOf(tx, at, (await pace()).rules.canary);
  if (canary.kind === 'waits') return { reason: 'canary' };
  if (canary.kind !== 'failed') return null;
  const scope = gateScope.runChannel(request.run, row.text_id);
  const reason = `${row.channel_label}: ${canary.failed} of the first rows did not succeed; resume it to continue`;
  const effect = async () => {
    await putGate(tx, { scope, kind: 'paused', by: 'reelay', reason }, request.now);
    return row.state;
  };
  return { reason: 'paused', effect };
}

async function withinPace({ row, request, pace }: Candidate): Promise<Refusal | null> {
  const { claimableAt, why } = claimSlot(await pace(), row.ready_at, request.now);
  if (claimableAt <= request.now) return null;
  return { reason: 'paced', readyAt: iso(Math.min(claimableAt, HELD_UNTIL)), ...(why && { why }) };
}

/** Its channel and its account have a free slot for another create. */
async function hasFreePlace({ pace, settings, gatesAndOpen }: Candidate): Promise<Refusal | null> {
  const [open] = await gatesAndOpen();
  const full =
    Number(open?.channel) >= (await pace()).concurrency ||
    Number(open?.account) >= (await settings()).accountConcurrency;
  return full ? { reason: 'busy' } : null;
}

/** A row whose time has passed is left out if the manifest says so (`late: skip`), and otherwise waits for a person. */
function setAside(
  { row, request: { now }, tx }: Candidate,
  why: { policy: CampaignSettings['late']; code: string; message: string; how: string },
): Refusal {
  const { policy, code, message, how } = why;
  const held = { code, message: `${message}; ${how}`, ready_at: HELD_UNTIL };
  const effect = async (): Promise<RowState> => {
    if (policy === 'skip') return moveRow(tx, row, 'cancelled', now, { code, message });
    if (row.state === 'planned') return moveRow(tx, row, 'waiting', now, held);
    await patchRow(tx, row.id, held);
    return 'waiting';
  };
  return { reason: 'late', effect };
}
