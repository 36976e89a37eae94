import { nearest } from '../../fields/classify-column';
import { DuplicateFinder } from '../source/duplicates';
import { type CellFinder, ProblemList, type Problem } from '../../problems/problems';
import { showValue } from '../../text';
import { type ManifestRow } from '../../types';

/** What is needed of a profile (interface, 2.1 and 2.2). */
export interface KnownProfile {
  readonly id: string;
  readonly name: string;
  readonly channels: readonly { readonly platform: string }[];
}

/**
 * Finds the profile of each row, by id and else by name, and sets `profileId` and `profileName`. Tells unknown and ambiguous
 * ones, platforms without a channel, and rows that turn out to be the same channel's (one by id, one by name). Of `unsound`
 * rows, which have another error already, only the profiles are checked.
 */
export function resolveProfiles(
  rows: readonly ManifestRow[],
  profiles: readonly KnownProfile[],
  options: { strict?: boolean; allProblems?: boolean; unsound?: readonly ManifestRow[]; cellOf?: CellFinder } = {},
): Problem[] {
  const problems = new ProblemList(options);
  const find = profileFinder(profiles);
  const resolved: ManifestRow[] = [];
  const sound = new Set(rows);
  const all = [...rows, ...(options.unsound ?? [])];
  reportUnconnected(all, profiles, problems);
  let line: number | undefined;
  for (const row of all) {
    // Platforms of one row have its profile in common.
    if (row.line !== line) problems.startRow();
    line = row.line;
    if (row.profile === null) {
      if (row.defaultAsked && find('default').length > 0) reportDefault(row, find('default'), problems);
      else if (sound.has(row)) resolved.push(row);
      continue;
    }
    const matches = find(row.profile);
    const [match] = matches;
    if (match === undefined || matches.length > 1) {
      reportUnresolved(row, row.profile, matches, profiles, problems);
      continue;
    }
    row.profileId = match.id;
    row.profileName = match.name;
    if (sound.has(row)) resolved.push(row);
    const shown = match.channels.map((channel) => channel.platform);
    const elsewhere = profiles.some((profile) => profile.channels.some((channel) => channel.platform === row.platform));
    // A direct publish goes to a channel connected to the profile (section 4.3); a publication may know better.
    const direct = row.via === 'direct' && shown.length > 0;
    if (!row.skip && (elsewhere || shown.length > 0) && !shown.includes(row.platform)) {
      const has = shown.length === 0 ? 'no channel' : `only ${shown.map((name) => showValue(name)).join(', ')}`;
      const message = `“${showValue(match.name)}” shows no channel on ${row.platform}, ${has}.`;
      problems.add({
        code: 'profile-platform',
        ...(direct ? { severity: 'error' as const } : {}),
        at: { line: row.line, column: 'profile' },
        value: row.profile,
        message,
      });
    }
  }
  const duplicates = new DuplicateFinder(problems, { warns: false });
  for (const row of resolved)
    duplicates.isAgain({ row, profile: row.profileId, at: { line: row.line, column: 'profile' } });
  return problems.finish();
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

function reportDefault(row: ManifestRow, matches: readonly KnownProfile[], problems: ProblemList): void {
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
  row: ManifestRow,
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

// The interface names the wire values only by role (2.2), so a platform nobody shows is most likely a wrong setting.
function reportUnconnected(
  rows: readonly ManifestRow[],
  profiles: readonly KnownProfile[],
  problems: ProblemList,
): void {
  const shown = new Set(profiles.flatMap((profile) => profile.channels.map((channel) => channel.platform)));
  for (const platform of new Set(rows.filter((row) => !row.skip).map((row) => row.platform))) {
    if (shown.has(platform)) continue;
    const others =
      shown.size === 0 ? 'they show none at all' : `they show ${[...shown].map((name) => showValue(name)).join(', ')}`;
    const message = `No channel of the account’s profiles shows the platform “${showValue(platform)}”; ${others}.`;
    problems.add({ code: 'platform-not-connected', at: { line: null, column: 'platform' }, value: platform, message });
  }
}
