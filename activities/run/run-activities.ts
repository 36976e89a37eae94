import { type ChannelBrief, type ImportResult, type Page, type RunInput, type TakePageInput } from '../contract';
import { changeDrafts } from '../publish/change-drafts';
import { type ActivityDeps } from '../deps';
import { type ServiceClient } from '../../service/api/client';
import { type NoticeBrief } from '../notices/contract';
import { endedNotice } from '../notices/find-notices';
import { type ChannelWork, type GateInfo } from '../../ledger/model/types';

/** Ids kept as the account's newest before a run: enough that some survive deletions. */
const BASELINE = 100;

/** Imports what was submitted, and stores each account's newest publications before the run creates any. */
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
    if ((await ledger.baseline(input.run, account)) !== null) continue;
    const takenAt = new Date(deps.now()).toISOString();
    const ids = await newestIds(deps.accounts.get(account).client);
    await ledger.saveBaseline(input.run, { account, takenAt, ids });
  }
  return {
    channels: channels.map(toBrief),
  };
}

/** Read until there are enough, or no more: a page may be shorter than requested (section 4.4). */
async function newestIds(client: Pick<ServiceClient, 'listPublications'>): Promise<string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ids.size < BASELINE;) {
    const { publications } = await client.listPublications({ limit: BASELINE, offset });
    const before = ids.size;
    for (const { id } of publications) ids.add(id);
    if (ids.size === before) break;
    offset += publications.length;
  }
  return [...ids];
}

export function toBrief({ id, label, open, nextReadyAt, why, held }: ChannelWork): ChannelBrief {
  return { id, label, open, nextReadyAt, why, ...(held === null ? {} : { held: describeGate(held) }) };
}

export async function takePage(deps: ActivityDeps, input: TakePageInput): Promise<Page> {
  const { ledger } = deps;
  if (!(await ledger.holds(input.run))) return { holds: false, rows: [], held: null };
  const rows = await ledger.takePage({ ...input, now: deps.now() });
  const holding = await ledger.holdOf(input.run, input.channelId);
  const width = await ledger.channelConcurrency(input.run, input.channelId);
  return { holds: true, rows, held: holding === null ? null : describeGate(holding), width };
}

export async function finishRun(
  deps: ActivityDeps,
  input: RunInput,
): Promise<{ finished: boolean; notice?: NoticeBrief }> {
  const finished = await deps.ledger.finishRun(input.run);
  const notice = finished ? await endedNotice(deps, input.run) : null;
  return { finished, ...(notice === null ? {} : { notice }) };
}

/** A cancel from the Web UI is a gate like any other; it just has nobody's name. */
export async function cancelRun(deps: ActivityDeps, input: RunInput & { channelId?: string }): Promise<void> {
  await deps.ledger.cancel({
    run: input.run,
    by: 'Temporal',
    ...(input.channelId === undefined ? {} : { channelId: input.channelId }),
  });
}

function describeGate(gate: GateInfo): string {
  return `${gate.kind} since ${gate.since}: ${gate.reason}`;
}
