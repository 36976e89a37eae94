import { troubleText } from '../../wording/account-trouble';
import { accountTroubles } from './account-trouble';
import { channels } from './channels';
import { gateScope, gates } from '../runs/gates';
import { isOpen } from '../runs/read-run';
import { type Store } from '../engine/store';
import { type ResultRecord } from '../model/result-types';
import { type RunRef } from '../model/types';

/** Why a row that isn't sent yet waits, as `results` shows it. */
export type Waiting = Pick<ResultRecord, 'code' | 'message'>;

const NOTHING: Waiting = { code: null, message: null };

/** An unsent row, with the facts that decide what it waits for. */
interface WaitingRow {
  account: string;
  profileId: string | null;
  platform: string;
  publishAt: string | null;
  /** False if a trial leaves it out. */
  selected: boolean;
}

/**
 * Why rows of a run wait, by channel: `parked`, `paused`, `stopped`, `account-unusable` if a worker has no account of that name,
 * `paced` with the time of the channel's next row, or `queued` if all are due and other rows come first. Read once, for
 * the first row that needs it.
 */
export function createWaitingReasons(store: Store, run: RunRef): (row: WaitingRow) => Promise<Waiting> {
  let known: Promise<(row: WaitingRow) => Waiting> | undefined;
  return async (row) => {
    known ??= readReasons(store, run);
    return (await known)(row);
  };
}

async function readReasons(store: Store, run: RunRef): Promise<(row: WaitingRow) => Waiting> {
  const whole = (await gates(store, run)).find((gate) => gate.kind === 'stopped' && gate.scope === gateScope.run(run));
  const otherwise = whole === undefined ? NOTHING : { code: 'stopped', message: whole.reason };
  /** `dueAt` (ms): a row with a later time waits for its time alone. */
  const reasons = new Map<string, { waiting: Waiting; dueAt: number | null }>();
  if (await isOpen(store.db, run)) {
    const now = store.now();
    const unusable = new Map(
      (await accountTroubles(store, run)).filter(({ kind }) => kind === 'unusable').map((one) => [one.account, one]),
    );
    for (const channel of await channels(store, run)) {
      const { held, nextReadyAt, why } = channel;
      const trouble = unusable.get(channel.account);
      const name = nameOf(channel.account, channel.profileId, channel.platform);
      if (held !== null) {
        const waiting = { code: held.kind, message: `since ${held.since}: ${held.reason}` };
        reasons.set(name, { waiting, dueAt: null });
      } else if (trouble !== undefined) {
        reasons.set(name, { waiting: { code: 'account-unusable', message: troubleText(trouble, true) }, dueAt: now });
      } else if (why !== null) {
        const next = nextReadyAt === null ? '' : `next ${nextReadyAt.replace(/\.\d+Z$/u, 'Z')}, `;
        const code = nextReadyAt === null ? 'queued' : 'paced';
        const dueAt = nextReadyAt === null ? now : Date.parse(nextReadyAt);
        reasons.set(name, { waiting: { code, message: `${channel.label}: ${next}${why}` }, dueAt });
      }
    }
  }
  return ({ account, profileId, platform, publishAt, selected }) => {
    const found = reasons.get(nameOf(account, profileId, platform));
    if (found === undefined) return otherwise;
    const { waiting, dueAt } = found;
    if (dueAt === null) return waiting;
    return selected && (publishAt === null || Date.parse(publishAt) <= dueAt) ? waiting : NOTHING;
  };
}

function nameOf(account: string, profileId: string | null, platform: string): string {
  return JSON.stringify([account, profileId, platform]);
}
