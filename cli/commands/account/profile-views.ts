import { type AccountConnection } from '../../../service/accounts';
import { type Counts } from '../../../ledger/model/types';
import { type Profile } from '../../../service/api/profile';
import { type PlatformSetting } from '../../config/accounts';
import { ExitError, UsageError } from '../../errors/errors';
import { EXIT } from '../../errors/exit-codes';
import { type Output } from '../../terminal/output';
import { plural, safeText } from '../../terminal/safe-text';
import { countsText } from '../../terminal/texts/state-words';

/** What `default` means, wherever a profile can be named (section 4.5: without a profile the default channel is used). */
export const DEFAULT_MEANS =
  'no profile is sent; the service uses its default channel. The service doesn’t show which one that is, and it may change';

type RowCounts = readonly { account: string; profileId: string | null; counts: Counts }[];

/** A profile as JSON shows it. Null: the service didn’t show it. */
export interface ProfileView {
  account: string;
  id: string | null;
  name: string | null;
  created_at: string | null;
  channels: {
    platform: string | null;
    account_name: string | null;
    account_id: string | null;
    connected_at: string | null;
    /** Fields that the interface doesn't name, unchanged. */
    further: Record<string, unknown>;
  }[];
  /** Fields that the interface doesn't name, unchanged. */
  further: Record<string, unknown>;
  /** Our rows by state, over all campaigns. */
  rows: Counts;
  means?: string;
}

export interface AccountProfiles {
  account: string;
  profiles: ProfileView[];
  /** Rows that name no profile. */
  default: ProfileView;
  /** The number according to the service. */
  total: number | null;
}

/** Every profile of an account (section 4.1). @throws ServiceError */
export async function profilesOf(connection: AccountConnection, counts: RowCounts): Promise<AccountProfiles> {
  const { profiles, total } = await connection.client.listProfiles();
  const account = connection.name;
  return {
    account,
    profiles: profiles.map((profile) => viewOf(account, profile, counts)),
    default: defaultView(account, counts),
    total,
  };
}

/**
 * One profile: found by id or name in the list, then read by id (section 4.2).
 * @throws ExitError if several have the name, with their ids; or none has
 */
export async function oneProfile(
  connection: AccountConnection,
  counts: RowCounts,
  wanted: string,
  platforms: readonly PlatformSetting[],
): Promise<ProfileView & { kinds: Record<string, string> }> {
  const { profiles } = await connection.client.listProfiles();
  const kinds = Object.fromEntries(platforms.map(({ name, kind }) => [name, kind]));
  const id = profileId(profiles, wanted);
  if (id === null) return { ...defaultView(connection.name, counts), kinds };
  const profile = await connection.client.getProfile(id);
  return { ...viewOf(connection.name, profile, counts), kinds };
}

/** The id of a profile named by id or name; null for `default`. @throws ExitError */
export function profileId(profiles: readonly Profile[], wanted: string): string | null {
  const text = wanted.trim().normalize('NFC');
  const byId = profiles.find((profile) => profile.id === text);
  const named = profiles.filter((profile) => profile.name?.trim().normalize('NFC') === text);
  if (byId !== undefined) return byId.id;
  const [only] = named;
  if (text === 'default' && only === undefined) return null;
  if (only !== undefined && named.length === 1 && text !== 'default') return only.id;
  if (only !== undefined) {
    const ids = named.map((profile) => profile.id);
    const also = text === 'default' ? ', and `default` also means no profile' : '';
    throw new ExitError(
      'profile-ambiguous',
      `${plural(named.length, 'profile')} named “${safeText(text)}”: ${ids.map((id) => safeText(id)).join(' and ')}${also}`,
      EXIT.usage,
      `Use the id: ${ids.map((id) => safeText(id)).join(' or ')}.`,
    );
  }
  const names = profiles.slice(0, 10).map((profile) => `“${safeText(profile.name ?? profile.id)}”`);
  throw new UsageError(
    `the account has no profile “${safeText(text)}”`,
    names.length === 0 ? 'It has no profiles.' : `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`,
  );
}

function viewOf(account: string, profile: Profile, counts: RowCounts): ProfileView {
  return {
    account,
    id: profile.id,
    name: profile.name,
    created_at: profile.createdAt,
    channels: profile.channels.map(({ platform, accountName, accountId, connectedAt, extra }) => ({
      platform,
      account_name: accountName,
      account_id: accountId,
      connected_at: connectedAt,
      further: extra,
    })),
    further: profile.extra,
    rows: countsOf(account, profile.id, counts),
  };
}

function defaultView(account: string, counts: RowCounts): ProfileView {
  const rows = countsOf(account, null, counts);
  return {
    account,
    id: null,
    name: 'default',
    created_at: null,
    channels: [],
    further: {},
    rows,
    means: DEFAULT_MEANS,
  };
}

function countsOf(account: string, id: string | null, counts: RowCounts): Counts {
  return counts.find((one) => one.account === account && one.profileId === id)?.counts ?? {};
}

export async function showProfiles(output: Output, found: readonly AccountProfiles[]): Promise<void> {
  const all = found.flatMap(({ profiles }) => profiles);
  if (output.format === 'jsonl') for (const profile of all) await output.json(profile);
  else if (output.format === 'json') {
    await output.json({ version: 1, profiles: all, default: found.map((one) => one.default), total: all.length });
  } else {
    const used = found.map((one) => one.default).filter(({ rows }) => Object.keys(rows).length > 0);
    await output.table(
      [...all, ...used],
      [
        ...(found.length > 1 ? [{ title: 'ACCOUNT', value: (row: ProfileView) => row.account }] : []),
        { title: 'ID', value: (row) => row.id, whole: true },
        { title: 'NAME', value: (row) => row.name, shrink: true },
        { title: 'CHANNELS', value: (row) => row.channels.map(channelText).join(', '), shrink: true },
        { title: 'ROWS', value: (row) => rowsText(row.rows) },
      ],
    );
    if (used.length > 0) output.note(`default: ${DEFAULT_MEANS}.`);
  }
  for (const { account, profiles, total } of found) {
    for (const [name, ids] of twice(profiles)) {
      output.warn(
        `account ${account}: ${plural(ids.length, 'profile')} named “${safeText(name)}” (${ids.join(', ')}): rows must use the id`,
      );
    }
    if (total !== null && total !== profiles.length)
      output.warn(
        `account ${account}: the service counts ${String(total)} profiles, but shows ${String(profiles.length)}`,
      );
  }
}

function twice(profiles: readonly ProfileView[]): [string, string[]][] {
  const byName = new Map<string, string[]>();
  for (const { id, name } of profiles) {
    if (name !== null && id !== null) byName.set(name.trim(), [...(byName.get(name.trim()) ?? []), id]);
  }
  return [...byName].filter(([, ids]) => ids.length > 1);
}

export async function showProfile(
  output: Output,
  view: ProfileView & { kinds: Record<string, string> },
): Promise<void> {
  const { kinds, ...profile } = view;
  if (!output.isText) {
    await output.json({ version: 1, profile });
    return;
  }
  await output.lines([
    `account\t${profile.account}`,
    `id\t${safeText(profile.id ?? '')}`,
    `name\t${safeText(profile.name ?? '')}`,
    ...(profile.means === undefined ? [] : [`means\t${profile.means}`]),
    ...(profile.created_at === null ? [] : [`created_at\t${safeText(profile.created_at)}`]),
    `rows\t${rowsText(profile.rows)}`,
    ...profile.channels.map(
      (channel) =>
        `channel\t${channelText(channel)}\t${safeText(channel.account_id ?? '')}\tsince ${safeText(channel.connected_at ?? 'not shown')}\t${publishes(kinds[channel.platform ?? ''])}`,
    ),
  ]);
}

/** The service also connects platforms that it doesn’t publish to (section 1). */
function publishes(kind: string | undefined): string {
  return kind === undefined ? 'not among the configured platforms: nothing is published there' : kind;
}

function channelText(channel: { platform: string | null; account_name: string | null }): string {
  return `${safeText(channel.platform ?? 'platform not shown')} ${safeText(channel.account_name ?? '')}`.trim();
}

function rowsText(counts: Counts): string {
  return Object.keys(counts).length === 0 ? '' : countsText(counts);
}
