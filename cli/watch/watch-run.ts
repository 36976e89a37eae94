import { type Ledger } from '../../ledger/ledger';
import { type Counts, type GateInfo, type RunInfo } from '../../ledger/model/types';
import { type ChannelNames, gateText, heldText } from '../terminal/texts/gate-text';
import { pause } from '../../host/interrupts';
import { EXIT } from '../errors/exit-codes';
import { type Reason } from '../summary/reasons';
import { type Output } from '../terminal/output';
import { ProgressView } from './progress';
import { throttledText, waitingText } from './run-health';
import { createWatchFacts, type LivenessOf } from './watch-facts';

/**
 * Why watching ended. `parked`: only rows of parked channels or accounts are left. `rolled-back`: an older copy of the
 * ledger was restored.
 */
export type WatchEnd = 'closed' | 'timeout' | 'interrupted' | 'parked' | 'rolled-back';

/**
 * The additional reason that the way in which watching ended gives for the exit code. `runs`: the run ends with this
 * process.
 */
export function endReasons(end: WatchEnd, { runs }: { runs: boolean }): Reason[] {
  if (end === 'interrupted') return [{ code: EXIT.interrupted, text: runs ? 'interrupted' : 'stopped watching' }];
  return end === 'rolled-back' ? [{ code: EXIT.unreachable, text: 'an older copy of the ledger was restored' }] : [];
}

export const ROLLED_BACK =
  'An older copy of the ledger was restored (ledger-rolled-back), so nothing more is sent: stop every worker, then `reelay ledger reconcile`';

export interface WatchInput {
  ledger: Ledger;
  run: RunInfo;
  output: Output;
  sandbox: boolean;
  signal: AbortSignal;
  timeoutMs?: number;
  /** The run's state besides its counts; absent: a worker is running, and no answer is lost. */
  liveness?: LivenessOf;
  /** Called between reads; may take its time. An error ends the watch. */
  onRound?: () => Promise<void>;
  /** @default 1000 */
  everyMs?: number;
}

/** Number of reads before "only parked rows are left" is believed: a row may be between two states. */
const PARKED_ROUNDS = 5;
/**
 * While rows move, waits that the service asked for are read at most this often, because that reads the rest of all
 * channels.
 */
const THROTTLED_MS = 5_000;

/**
 * Follows a run by reading the ledger until it has closed; if a later run takes over, that one is followed. Nothing
 * here changes anything: ending it leaves the run as it is.
 */
export async function watchRun(input: WatchInput): Promise<{ end: WatchEnd; run: RunInfo }> {
  const { ledger, output, signal, timeoutMs, everyMs = 1_000 } = input;
  const view = new ProgressView(output, { sandbox: input.sandbox });
  const began = Date.now();
  const printed = new Set<string>();
  const pacedText = createPacedText(ledger);
  const factsOf = createWatchFacts(ledger, input.liveness);
  let { run } = input;
  let parkedRounds = 0;
  let lastEvent = '';
  let channels: ChannelNames | undefined;
  try {
    for (;;) {
      const id = `${run.campaign}.${String(run.number)}`;
      const [counts, gates] = await Promise.all([ledger.counts(run), ledger.gates(run)]);
      if (gates.length > 0) channels ??= await ledger.campaignChannels(run.campaign);
      for (const gate of gates) printGate(gate, channels ?? [], printed, output);
      const closed = heldText(gates, channels ?? []);
      const held = closed ?? (await pacedText(run, counts));
      const facts = await factsOf(run, counts);
      const waits = [held, facts.troubles].filter((text) => text !== null).join('; ');
      // Until a later run has imported its rows, its counts are those of earlier runs.
      if (run.imported || run.number === 1) {
        const held = waits === '' ? null : waits;
        view.show({ ...{ run: id, counts, at: Date.now(), closed: closed !== null, ...facts }, held });
        const event = JSON.stringify(counts);
        const at = new Date().toISOString();
        if (event !== lastEvent) await output.event({ event: 'progress', run: id, at, counts });
        lastEvent = event;
      }

      const fresh = await ledger.findRun(run);
      if (fresh) run = fresh;
      if (!run.open) {
        const later = run.closedAs === 'superseded' ? await ledger.newestRun(run.campaign) : null;
        if (!later || later.number === run.number) return { end: 'closed', run };
        output.note(`${id} was taken over by ${later.campaign}.${String(later.number)}.`);
        run = later;
        continue;
      }
      // A run of this process continues without a reader; just watching one is pointless then.
      const unread = output.closed && input.onRound === undefined;
      if (signal.aborted || unread) return { end: 'interrupted', run };
      if (timeoutMs !== undefined && Date.now() - began >= timeoutMs) return { end: 'timeout', run };
      if (gates.some((gate) => gate.kind === 'paused' && gate.reason.startsWith('ledger-rolled-back')))
        return { end: 'rolled-back', run };
      const moving = (counts.creating ?? 0) + (counts.processing ?? 0) > 0;
      parkedRounds = !moving && (await onlyParked(ledger, run, gates)) ? parkedRounds + 1 : 0;
      if (parkedRounds >= PARKED_ROUNDS) return { end: 'parked', run };
      await input.onRound?.();
      await pause(everyMs, signal);
    }
  } finally {
    view.end();
  }
}

async function onlyParked(ledger: Ledger, run: RunInfo, gates: readonly GateInfo[]): Promise<boolean> {
  const parked = gates.filter((gate) => gate.kind === 'parked');
  if (parked.length === 0) return false;
  if (parked.some((gate) => gate.scope.startsWith('account:'))) return (await ledger.openRows(run)) > 0;
  const channels = await ledger.channels(run);
  const left = channels.filter((channel) => channel.open > 0);
  return (
    left.length > 0 && left.every((channel) => parked.some((gate) => gate.scope.endsWith(`channel:${channel.id}`)))
  );
}

/** If nothing moves because of pace: which channel continues first, when and why; otherwise what the service delays. */
function createPacedText(ledger: Ledger): (run: RunInfo, counts: Counts) => Promise<string | null> {
  let throttled: { text: string | null; readAt: number } | null = null;
  return async (run, counts) => {
    const left = (counts.planned ?? 0) + (counts.waiting ?? 0);
    if (left === 0 || !run.open) return null;
    const moving = (counts.creating ?? 0) + (counts.processing ?? 0);
    if (moving === 0) return waitingText(ledger, run);
    const now = Date.now();
    if (throttled === null || now - throttled.readAt >= THROTTLED_MS)
      throttled = { text: await throttledText(ledger, run), readAt: now };
    return throttled.text;
  };
}

function printGate(gate: GateInfo, channels: ChannelNames, printed: Set<string>, output: Output): void {
  const id = `${gate.scope} ${gate.kind}`;
  if (printed.has(id)) return;
  printed.add(id);
  output.note(output.paint('yellow', output.local(gateText(gate, channels))));
}
