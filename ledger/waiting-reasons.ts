import { channels } from './channels';
import { gateScope, gates } from './gates';
import { isOpen } from './runs';
import { type Store } from './store';
import { type ResultRecord, type RunRef } from './types';

/** Why a row that isn't sent yet waits, as `results` shows it. */
export type Waiting = Pick<ResultRecord, 'code' | 'message'>;

const NOTHING: Waiting = { code: null, message: null };

/**
 * Why rows of a run wait, by channel: `parked`, `paused`, `stopped`, or `paced` with the time of the channel's next row.
 * Read once, when the first row asks.
 */
export function createWaitingReasons(
  store: Store,
  run: RunRef,
): (channel: { account: string; profileId: string | null; platform: string }) => Promise<Waiting> {
  let known: Promise<(name: string) => Waiting> | undefined;
  return async ({ account, profileId, platform }) => {
    known ??= readReasons(store, run);
    return (await known)(nameOf(account, profileId, platform));
  };
}

async function readReasons(store: Store, run: RunRef): Promise<(name: string) => Waiting> {
  const whole = (await gates(store, run)).find((gate) => gate.kind === 'stopped' && gate.scope === gateScope.run(run));
  const otherwise = whole === undefined ? NOTHING : { code: 'stopped', message: whole.reason };
  const reasons = new Map<string, Waiting>();
  if (await isOpen(store.db, run)) {
    for (const channel of await channels(store, run)) {
      const { held, nextReadyAt, why } = channel;
      const name = nameOf(channel.account, channel.profileId, channel.platform);
      if (held !== null) reasons.set(name, { code: held.kind, message: `since ${held.since}: ${held.reason}` });
      else if (nextReadyAt !== null && why !== null)
        reasons.set(name, {
          code: 'paced',
          message: `${channel.label}: next ${nextReadyAt.replace(/\.\d+Z$/u, 'Z')}, ${why}`,
        });
    }
  }
  return (name) => reasons.get(name) ?? otherwise;
}

function nameOf(account: string, profileId: string | null, platform: string): string {
  return JSON.stringify([account, profileId, platform]);
}
