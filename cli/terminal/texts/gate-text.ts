import { type GateInfo } from '../../../ledger/model/types';
import { safeText } from '../safe-text';

/** Names of channels by their ids. */
export type ChannelNames = readonly { id: string; label: string }[];

/** What a gate closes, as text for people: `Garden · long`, `account main`, `the run`. */
export function gatePlace({ scope }: Pick<GateInfo, 'scope'>, channels: ChannelNames): string {
  const channel = /(?:^|\/)channel:(.*)$/u.exec(scope)?.[1];
  if (channel !== undefined) return safeText(channels.find((one) => one.id === channel)?.label ?? channel);
  if (scope.startsWith('account:')) return `account ${safeText(scope.slice('account:'.length))}`;
  return 'the run';
}

/** Whether it closes a whole run, and not only a channel or an account. */
export function isOfRun({ scope }: Pick<GateInfo, 'scope'>): boolean {
  return /^run:[^/]*$/u.test(scope);
}

/** `paused: Garden · long, by ana@desk since 2026-03-02T12:00:00.000Z`, with the reason if it adds something. */
export function gateText(gate: GateInfo, channels: ChannelNames): string {
  const { kind, by, since, reason } = gate;
  const said = reason === kind || reason === `${kind} by ${by}`;
  return `${kind}: ${gatePlace(gate, channels)}, by ${safeText(by)} since ${since}${said ? '' : ` — ${safeText(reason)}`}`;
}

/** The strongest gate that holds rows back, as text for people. A cancelled channel holds nothing: its rows have ended. */
export function heldText(gates: readonly GateInfo[], channels: ChannelNames): string | null {
  const holding = gates.filter((gate) => gate.kind !== 'cancelled' || !gate.scope.includes('channel:'));
  const kinds = ['cancelled', 'stopped', 'parked', 'paused'] as const;
  const [first, ...others] = kinds.flatMap((kind) => holding.filter((gate) => gate.kind === kind));
  if (first === undefined) return null;
  return `${gateText(first, channels)}${others.length === 0 ? '' : ` (and ${String(others.length)} more)`}`;
}
