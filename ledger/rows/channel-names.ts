import { prepared, type Db } from '../engine/store';

/** What people know of a channel. The default channel has no profile id. */
export interface NamedChannel {
  account: string;
  profileId: string | null;
  platform: string;
  /** `Garden · long` */
  label: string;
}

type NameOf = (channel: NamedChannel) => string;

/** The minimum part of a profile's id that is shown. */
const ID_PART = 6;

/**
 * Names of channels for people: their labels, and for channels that share one, as much more as distinguishes them:
 * `Garden · long (account cafe)`.
 */
export function distinctNames(channels: readonly NamedChannel[]): NameOf {
  const groups = new Map<string, Map<string, NamedChannel>>();
  for (const channel of channels) {
    const group = groups.get(channel.label) ?? new Map<string, NamedChannel>();
    groups.set(channel.label, group.set(identityOf(channel), channel));
  }
  return (channel) => {
    const group = [...(groups.get(channel.label) ?? new Map<string, NamedChannel>()).values()];
    if (!group.some((one) => identityOf(one) !== identityOf(channel))) return channel.label;
    const parts = group.length === 0 ? [] : distinguishing([...group, channel]);
    return `${channel.label} (${parts.map((part) => part(channel)).join(', ')})`;
  };
}

/** The one fact in which all of them differ, or everything. */
function distinguishing(group: readonly NamedChannel[]): ((channel: NamedChannel) => string)[] {
  const ids = [...new Set(group.map(({ profileId }) => profileId ?? ''))];
  const length = idLength(ids);
  const facts: ((channel: NamedChannel) => string)[] = [
    ({ account }) => `account ${account}`,
    ({ profileId }) => (profileId === null ? 'no profile' : `profile ${profileId.slice(0, length)}`),
    ({ platform }) => platform,
  ];
  const count = new Set(group.map(identityOf)).size;
  const one = facts.find((fact) => new Set(group.map(fact)).size === count);
  return one === undefined ? facts : [one];
}

function idLength(ids: readonly string[]): number {
  for (let length = ID_PART; length < 64; length += 1)
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length;
  return 64;
}

function identityOf({ account, profileId, platform }: NamedChannel): string {
  return JSON.stringify([account, profileId ?? '', platform]);
}

const allChannels = prepared<object, Omit<NamedChannel, 'profileId'> & { profile_id: string }>((db) =>
  db.selectFrom('channels').select(['account', 'profile_id', 'platform', 'label']),
);

/**
 * The same over every channel of the ledger, so that each has the same name on every screen. `more`: channels that the
 * ledger doesn't have yet.
 */
export async function readChannelNames(db: Db, more: readonly NamedChannel[] = []): Promise<NameOf> {
  const known = await allChannels(db, {});
  const named = known.map(({ profile_id: id, ...channel }) => ({ ...channel, profileId: id === '' ? null : id }));
  return distinctNames([...named, ...more]);
}
