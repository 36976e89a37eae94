import { nearest } from '../../fields/classify-column';
import { DuplicateFinder } from '../source/duplicates';
import { type CellFinder, ProblemList, type Problem } from '../../problems/problems';
import { SHORT_NUMBER } from '../check-key';
import { showValue } from '../../text';
import { type ManifestRow, type ManifestSettings, type RowOfProfile } from '../../types';

/** The part of a profile that is needed (interface, 2.1 and 2.2). */
export interface KnownProfile {
  readonly id: string;
  readonly name: string;
  readonly channels: readonly { readonly platform: string }[];
}

/**
 * Finds the profile of each row, by id or else by name, and sets `profileId` and `profileName`. Reports unknown and
 * ambiguous ones, platforms without a channel, and rows that turn out to be for the same channel (one by id, one by
 * name). For `unsound` rows, which already have another error, only the profiles are checked.
 */
export function resolveProfiles(
  rows: readonly ManifestRow[],
  profiles: readonly KnownProfile[],
  options: {
    strict?: boolean;
    allProblems?: boolean;
    unsound?: readonly RowOfProfile[];
    cellOf?: CellFinder;
    repeat?: ManifestSettings['repeat'];
  } = {},
): Problem[] {
  const problems = new ProblemList(options);
  const finder = new ProfileCheck(profiles, problems);
  const unsound = options.unsound ?? [];
  reportUnconnected([...platformsSent(rows), ...platformsSent(unsound)], profiles, problems);
  const resolved: ManifestRow[] = [];
  for (const row of rows) {
    const match = finder.check(row);
    if (match === undefined) continue;
    row.profileId = match?.id ?? null;
    row.profileName = match?.name ?? null;
    resolved.push(row);
  }
  for (const row of unsound) finder.check(row);
  const duplicates = new DuplicateFinder(problems, { repeat: options.repeat ?? 'allow' });
  for (const row of resolved)
    duplicates.isAgain({ row, profile: row.profileId, at: { line: row.line, column: 'profile' } });
  return problems.finish();
}

class ProfileCheck {
  readonly #profiles: readonly KnownProfile[];
  readonly #problems: ProblemList;
  readonly #find: (written: string) => readonly KnownProfile[];
  #line: number | undefined;

  constructor(profiles: readonly KnownProfile[], problems: ProblemList) {
    this.#profiles = profiles;
    this.#problems = problems;
    this.#find = profileFinder(profiles);
  }

  /** The row's profile; null for the default channel, undefined after an error. */
  check(row: RowOfProfile): KnownProfile | null | undefined {
    // Platforms of one row have its profile in common.
    if (row.line !== this.#line) this.#problems.startRow();
    this.#line = row.line;
    if (row.profile === null) {
      const named = row.defaultAsked ? this.#find('default') : [];
      if (named.length === 0) return this.#isMoved(row, null) ? undefined : null;
      reportDefault(row, named, this.#problems);
      return undefined;
    }
    const matches = this.#find(row.profile);
    const [match] = matches;
    if (match === undefined || matches.length > 1) {
      reportUnresolved(row, row.profile, matches, this.#profiles, this.#problems);
      return undefined;
    }
    if (this.#isMoved(row, match)) return undefined;
    this.#checkPlatform(row, match);
    return match;
  }

  /** In another channel than a results file says, the row would be published again. */
  #isMoved({ line, recordedProfileId: recorded }: RowOfProfile, match: KnownProfile | null): boolean {
    if (recorded === undefined || (match !== null && isSameId(recorded, match.id))) return false;
    const before = this.#find(recorded).find(({ id }) => id === recorded);
    const was = before === undefined ? recorded : `${before.name} (${recorded})`;
    const goes = match === null ? 'the default channel' : `“${showValue(match.name)}” (${showValue(match.id)})`;
    this.#problems.add({
      code: 'channel-changed',
      at: { line, column: 'reelay_profile_id' },
      value: recorded,
      message: `The row belongs to profile “${showValue(was)}”, but it would be sent to ${goes}.`,
    });
    return true;
  }

  #checkPlatform(row: RowOfProfile, match: KnownProfile): void {
    const shown = match.channels.map((channel) => channel.platform);
    const elsewhere = this.#profiles.some((profile) =>
      profile.channels.some((channel) => channel.platform === row.platform),
    );
    // A direct publish is sent to a channel connected to the profile (section 4.3); for a publication the service may
    // know a channel that isn't shown.
    const direct = row.via === 'direct' && shown.length > 0;
    if (row.skip || (!elsewhere && shown.length === 0) || shown.includes(row.platform)) return;
    const has = shown.length === 0 ? 'no channel' : `only ${shown.map((name) => showValue(name)).join(', ')}`;
    const message = `“${showValue(match.name)}” shows no channel on ${row.platform}, ${has}.`;
    this.#problems.add({
      code: 'profile-platform',
      ...(direct ? { severity: 'error' as const } : {}),
      at: { line: row.line, column: 'profile' },
      value: row.profile,
      message,
    });
  }
}

/** A spreadsheet drops leading zeros, and shortens long numbers. */
function isSameId(recorded: string, id: string): boolean {
  if (recorded === id || SHORT_NUMBER.test(recorded)) return true;
  return /^\d+$/.test(id) && recorded === id.replace(/^0+/, '');
}

function platformsSent(rows: readonly RowOfProfile[]): Set<string> {
  const platforms = new Set<string>();
  for (const row of rows) if (!row.skip) platforms.add(row.platform);
  return platforms;
}

function profileFinder(profiles: readonly KnownProfile[]): (written: string) => readonly KnownProfile[] {
  const byId = new Map(profiles.map((profile) => [profile.id, profile]));
  const byName = new Map<string, KnownProfile[]>();
  for (const profile of profiles) {
    const name = profile.name.trim().normalize('NFC');
    byName.set(name, [...(byName.get(name) ?? []), profile]);
  }
  return (written) => {
    const exact = byId.get(written);
    return exact === undefined ? (byName.get(written) ?? []) : [exact];
  };
}

function reportDefault(row: RowOfProfile, matches: readonly KnownProfile[], problems: ProblemList): void {
  const ids = matches.map((profile) => showValue(profile.id)).join(' or ');
  problems.add({
    code: 'profile-ambiguous',
    at: { line: row.line, column: 'profile' },
    value: 'default',
    message: '“default” means the account’s default channel, but a profile has that name too.',
    hint: `For the profile use its id (${ids}); for the default channel leave the profile out.`,
  });
}

function reportUnresolved(
  row: RowOfProfile,
  written: string,
  matches: readonly KnownProfile[],
  profiles: readonly KnownProfile[],
  problems: ProblemList,
): void {
  const at = { line: row.line, column: 'profile' };
  if (matches.length > 1) {
    const ids = matches.map((profile) => showValue(profile.id)).join(' and ');
    const message = `${matches.length} profiles are named “${showValue(written)}”: ${ids}.`;
    problems.add({
      code: 'profile-ambiguous',
      at,
      value: written,
      message,
      hint: `Use the id: ${ids.replaceAll(' and ', ' or ')}.`,
    });
    return;
  }
  const folded = written.toLowerCase();
  const near =
    profiles.find((profile) => profile.name.trim().toLowerCase() === folded || profile.id.toLowerCase() === folded)
      ?.name ??
    nearest(
      written,
      profiles.map((profile) => profile.name),
    );
  const names = profiles.slice(0, 10).map((profile) => `“${showValue(profile.name, 40)}”`);
  const all =
    names.length === 0
      ? 'The account has no profiles.'
      : `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}${profiles.length > 10 ? ' and more (reelay profiles)' : ''}.`;
  const message = `The account has no profile “${showValue(written)}”.${near === undefined ? '' : ` Did you mean “${showValue(near)}”?`}`;
  problems.add({ code: 'profile-unknown', at, value: written, message, hint: all });
}

// The interface names the wire values only by role (2.2), so a platform that no channel shows is most likely a wrong
// setting.
function reportUnconnected(
  platforms: readonly string[],
  profiles: readonly KnownProfile[],
  problems: ProblemList,
): void {
  const shown = new Set(profiles.flatMap((profile) => profile.channels.map((channel) => channel.platform)));
  for (const platform of new Set(platforms)) {
    if (shown.has(platform)) continue;
    const others =
      shown.size === 0 ? 'they show none at all' : `they show ${[...shown].map((name) => showValue(name)).join(', ')}`;
    const message = `No channel of the account’s profiles shows the platform “${showValue(platform)}”; ${others}.`;
    problems.add({ code: 'platform-not-connected', at: { line: null, column: 'platform' }, value: platform, message });
  }
}
