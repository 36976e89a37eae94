import { type Client } from '@temporalio/client';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo, type RunRef } from '../../ledger/model/types';
import { type TemporalPlace } from '../stack/engine';
import { connect } from '../stack/engine';
import { gateText } from '../terminal/texts/gate-text';
import { noFilesWorkerText, workerlessText, noWorkerText, SILENT_AFTER_MS } from '../summary/resume-commands';
import { type Output } from '../terminal/output';
import { plural, safeText } from '../terminal/safe-text';
import { type RunLiveness } from '../summary/run-liveness';
import { NEVER_MS } from '../../wording/times';
import { fullDiskText } from './full-disk';
import { silence, unknownStatusText } from './watch-facts';

/** Maximum number of the run's newest changes. */
const SHOWN_CHANGES = 5;
/**
 * Maximum number of channels that wait for other rows, as most do in a run at full speed, and of those that wait for
 * their times.
 */
const SHOWN_USUAL = 5;
/** What a channel waits for if its rows just have their own times. */
const SCHEDULED = 'as scheduled';

/** Shows what keeps an open run from continuing: gates, silent workers, no pollers, Temporal not reachable. */
export async function printHealth(input: {
  output: Output;
  ledger: Ledger;
  info: RunInfo;
  place: TemporalPlace;
  liveness: RunLiveness;
  sandbox: boolean;
  /** Default: 20 s. */
  silentAfterMs?: number;
}): Promise<void> {
  const { output, ledger, info, place, liveness, sandbox } = input;
  const gates = await ledger.gates(info);
  const channels = gates.length === 0 ? [] : await ledger.campaignChannels(info.campaign);
  for (const gate of gates) await tell(output, gate.kind, gateText(gate, channels));
  const silentAfterMs = input.silentAfterMs ?? SILENT_AFTER_MS;
  const silent = await silentWorkers(ledger, info, silentAfterMs);
  const silenceText =
    silent.size === 0 && liveness.goOn === null ? await silence(ledger, Date.now(), silentAfterMs) : null;
  const full = silent.size > 0 || silenceText !== null ? await fullDiskText(ledger) : null;
  if (full !== null) await tell(output, 'disk-full', full);
  else if (silenceText !== null) await tell(output, 'silent-worker', silenceText);
  for (const [id, worker] of silent) {
    const what = `worker ${id} (process ${String(worker.pid)}) silent since ${worker.since} with ${plural(worker.rows, 'row')} under way`;
    await tell(output, 'silent-worker', what);
  }
  const unknown = unknownStatusText(await ledger.unknownStatuses(info));
  if (unknown !== null) await tell(output, 'unknown-status', unknown);
  for (const { name, shown, since, by } of await ledger.liveSettings(info)) {
    await output.event({ event: 'setting', name, value: shown, since, by });
    output.note(`set: ${name}=${safeText(shown)}, by ${safeText(by)} since ${output.time(since)}`);
  }
  for (const { at, by, what } of await ledger.liveChanges(info, SHOWN_CHANGES)) {
    await output.event({ event: 'change', at, by, what });
    output.note(`${output.time(at)} ${safeText(by)}: ${safeText(what)}`);
  }
  const usual = { queued: 0, scheduled: 0 };
  for (const { channel, text, next_at, why } of await waitingChannels(ledger, info)) {
    await output.event({ event: 'waiting', channel, next_at, why });
    const kind = next_at === null ? 'queued' : why === SCHEDULED ? 'scheduled' : null;
    if (kind !== null) usual[kind] += 1;
    if (kind === null || usual[kind] <= SHOWN_USUAL) output.note(output.local(text));
  }
  if (usual.queued > SHOWN_USUAL)
    output.note(`${plural(usual.queued - SHOWN_USUAL, 'more channel')} with rows due wait as well.`);
  if (usual.scheduled > SHOWN_USUAL)
    output.note(`${plural(usual.scheduled - SHOWN_USUAL, 'more channel')} wait for the time of their next row.`);
  const { at } = liveness.goOn === null ? await ledger.lastSend(info) : { at: null };
  if (at !== null) await printLastSend(output, at);
  await printTemporal({ output, ledger, place, info, liveness, sandbox });
}

/** When the run will be done, according to times and pace. */
async function printLastSend(output: Output, at: number): Promise<void> {
  if (!Number.isFinite(at)) {
    output.warn('some rows are never sent: the hours of their channel never occur');
    return;
  }
  await output.event({ event: 'last-send', at: new Date(at).toISOString() });
  output.note(`The last row is sent at about ${output.time(at)}.`);
}

export interface WaitingChannel {
  channel: string;
  /** Null: its rows are due, and wait for other rows' slots. */
  next_at: string | null;
  why: string;
  /** The service asked to wait. */
  throttled: boolean;
  /** `Garden · long: next 2026-03-02T14:20:00Z, cap 15 per 24h reached` */
  text: string;
}

/** Channels that wait for their pace, for a time that the service asked for, or for a free slot; the next one first. */
export async function waitingChannels(ledger: Ledger, info: RunRef): Promise<WaitingChannel[]> {
  const waiting = (await ledger.channels(info)).flatMap(({ label, nextReadyAt, why, held, throttled }) => {
    if (held !== null || (why === null && (nextReadyAt === null || Date.parse(nextReadyAt) >= NEVER_MS))) return [];
    const what = why ?? SCHEDULED;
    const next = nextReadyAt === null ? '' : `next ${nextReadyAt}, `;
    return [{ channel: label, next_at: nextReadyAt, why: what, throttled, text: `${safeText(label)}: ${next}${what}` }];
  });
  return waiting.sort((a, b) => Date.parse(a.next_at ?? '1970') - Date.parse(b.next_at ?? '1970'));
}

/** The first of them, and how many more. Rows that only wait for each other's slots don't count as waiting. */
export async function waitingText(ledger: Ledger, info: RunRef): Promise<string | null> {
  const all = await waitingChannels(ledger, info);
  const queued = all.some((one) => one.next_at === null);
  const moves = queued && ((await ledger.counts(info)).creating ?? 0) > 0;
  return firstOf(moves ? all.filter((one) => one.next_at !== null) : all);
}

/** The same for those that wait because the service asked for it: worth showing in any case. */
export async function throttledText(ledger: Ledger, info: RunRef): Promise<string | null> {
  return firstOf((await waitingChannels(ledger, info)).filter((one) => one.throttled));
}

function firstOf([first, ...others]: readonly WaitingChannel[]): string | null {
  if (first === undefined) return null;
  return `${first.text}${others.length === 0 ? '' : ` (and ${plural(others.length, 'more channel')} waiting)`}`;
}

async function silentWorkers(
  ledger: Ledger,
  info: RunInfo,
  silentAfterMs: number,
): Promise<Map<string, { pid: number; silentMs: number; rows: number; since: string }>> {
  const silent = new Map<string, { pid: number; silentMs: number; rows: number; since: string }>();
  for (const attempt of await ledger.unsettled(info)) {
    const silentMs = Date.now() - Date.parse(attempt.workerSeenAt);
    if (attempt.endedAt !== null || silentMs < silentAfterMs) continue;
    const known = silent.get(attempt.worker.id);
    if (known) known.rows += 1;
    else silent.set(attempt.worker.id, { pid: attempt.worker.pid, silentMs, rows: 1, since: attempt.workerSeenAt });
  }
  return silent;
}

/** The ledger answers without Temporal; that it can't be reached is worth a note, not an error. */
export async function printTemporal(input: {
  output: Output;
  ledger: Ledger;
  place: TemporalPlace;
  info: RunInfo;
  liveness: RunLiveness;
  sandbox: boolean;
}): Promise<void> {
  const { output, ledger, place, info, liveness, sandbox } = input;
  const id = `${info.campaign}.${String(info.number)}`;
  if (liveness.goOn !== null) await tell(output, 'no-worker', workerlessText(id, liveness.goOn));
  // Without any Temporal, that itself is the reason.
  if (liveness.goOn !== null && place.nowhere) return;
  try {
    const temporal = await connect(place);
    try {
      const { campaignStatus, countPollers, unservedFilesHosts } = await import('../../temporal/campaigns.js');
      const status = await campaignStatus(temporal.client, info.campaign);
      const still = status === 'running' ? null : await ledger.findRun(info);
      if (still?.open) {
        const what =
          status === 'gone' ? 'Temporal has no workflow of this campaign' : `its workflow at Temporal was ${status}`;
        await tell(output, 'no-workflow', `${what}: nothing is sent until the manifest is submitted again`);
      }
      if (status === 'running') await showStuckActivities(output, temporal.client, info);
      if (liveness.goOn !== null) return;
      if ((await countPollers(temporal.client, ledger.id)) === 0) {
        await tell(output, 'no-worker', noWorkerText(sandbox));
        return;
      }
      for (const host of await unservedFilesHosts(temporal.client, ledger.id, await ledger.filesHosts(info)))
        await tell(output, 'no-files-worker', noFilesWorkerText(host));
    } finally {
      await temporal.close();
    }
  } catch (error) {
    await tell(output, 'temporal-unreachable', `this is read from the ledger alone: ${(error as Error).message}`);
  }
}

/** What a worker retries again and again without success; otherwise the cause would be visible only in the Web UI. */
async function showStuckActivities(output: Output, client: Client, info: RunRef): Promise<void> {
  const { stuckActivities } = await import('../../temporal/stuck-activities.js');
  for (const { activity, tries, error } of await stuckActivities(client, info.campaign)) {
    const what = `${activity} has failed ${plural(tries, 'time')}: ${safeText(error)}. ${fixOf(error)}`;
    await tell(output, 'activity-fails', what);
  }
}

function fixOf(error: string): string {
  if (/is not configured here|api.key|API key/iu.test(error))
    return 'Add the account and its key to the configuration of the worker, and start the worker again.';
  if (/payload|TMPRL1103|larger than max|too large/iu.test(error))
    return 'The campaign has too many channels for one run: split its manifest by account or profile.';
  return 'It is retried automatically; fix the cause on the worker’s host.';
}

async function tell(output: Output, code: string, message: string): Promise<void> {
  await output.event({ event: 'notice', code, message });
  output.warn(output.local(message));
}
