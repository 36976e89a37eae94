import { type ChannelBrief, type ImportResult, type Page, type RunInput, type TakePageInput } from '../contract';
import { ServiceError } from '../../service/errors';
import { takeBaseline } from '../publish/take-baseline';
import { usableAccount } from '../accounts/usable-account';
import { changeDrafts } from '../publish/drafts/change-drafts';
import { type ActivityDeps } from '../deps';
import { type NoticeBrief } from '../notices/contract';
import { endedNotice } from '../notices/find-notices';
import { type ChannelWork, type GateInfo, type RunRef } from '../../ledger/model/types';
import { machineZone } from '../../wording/times';

/**
 * Imports what was submitted, and stores each account's newest publications, if they can be read, before the run
 * creates any.
 */
export async function importManifest(
  deps: ActivityDeps,
  input: RunInput,
  context: { heartbeat(details: unknown): void },
): Promise<ImportResult> {
  const { ledger } = deps;
  await ledger.importSubmissions(input.run, { onPage: (rows) => context.heartbeat({ imported: rows }) });
  await changeDrafts(deps, input.run, context);
  const channels = await ledger.channels(input.run);
  for (const account of new Set(channels.map((channel) => channel.account))) {
    const connection = usableAccount(deps, account);
    if (connection === null) continue;
    try {
      await takeBaseline(deps, input.run, connection);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Other accounts don't wait for this one: its baseline is taken before its first create.
      deps.log.warn('an account can’t be read; its baseline is taken later', { account, why: error.message });
    }
  }
  return {
    channels: channels.map(toBrief),
  };
}

export function toBrief({ id, label, open, sending, nextReadyAt, why, held }: ChannelWork): ChannelBrief {
  return { id, label, open, sending, nextReadyAt, why, ...(held === null ? {} : { held: describeGate(held) }) };
}

/** A process keeps the zone that it started with; looking it up takes a while. */
let ownZone: string | undefined;

export async function takePage(deps: ActivityDeps, input: TakePageInput): Promise<Page> {
  const { ledger } = deps;
  if (!(await ledger.holds(input.run))) return { holds: false, rows: [], held: null };
  const rows = await ledger.takePage({ ...input, now: deps.now() });
  const holding = await ledger.holdOf(input.run, input.channelId);
  const width = await ledger.channelConcurrency(input.run, input.channelId);
  // Ending and restarting with every submission would cost more of the run's history than waiting.
  if (rows.length === 0 && (await ledger.hasOpenRows(input.run)))
    return { holds: true, rows, held: null, linger: true };
  const paced = rows.some(({ why }) => why !== undefined);
  const held = holding === null ? null : describeGate(holding);
  const sequence = await ledger.sequence();
  const zone = await readerZone(deps, input.run);
  return { holds: true, rows, held, width, sequence, zone, ...(paced ? { paced } : {}) };
}

/** In which zone people read the times of a run. */
export async function readerZone({ ledger }: Pick<ActivityDeps, 'ledger'>, { campaign }: RunRef): Promise<string> {
  return (await ledger.zoneOf(campaign)) ?? (ownZone ??= machineZone());
}

export async function finishRun(
  deps: ActivityDeps,
  input: RunInput,
): Promise<{ finished: boolean; notice?: NoticeBrief }> {
  const finished = await deps.ledger.finishRun(input.run);
  const notice = finished ? await endedNotice(deps, input.run) : null;
  return { finished, ...(notice === null ? {} : { notice }) };
}

/** A cancel from the Web UI is a gate like any other, except that it isn't known who requested it. */
export async function cancelRun(deps: ActivityDeps, input: RunInput & { channelId?: string }): Promise<void> {
  const info = input.channelId === undefined ? await deps.ledger.findRun(input.run) : null;
  // `reelay cancel` commits it first, and then makes the workflow end as cancelled.
  if (info !== null && info.cancelled !== null) return deps.ledger.cancelGated(input.run);
  await deps.ledger.cancel({
    run: input.run,
    by: 'Temporal',
    ...(input.channelId === undefined ? {} : { channelId: input.channelId }),
  });
}

function describeGate(gate: GateInfo): string {
  return `${gate.kind} since ${gate.since}: ${gate.reason}`;
}
