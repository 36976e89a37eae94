import { rowPlace } from '../../wording/row-place';
import { type AttentionRow } from '../../ledger/model/result-types';
import { placeFlags } from '../terminal/texts/command-text';
import { settleMeaning } from '../../wording/settle-meaning';
import { shellWord } from '../../wording/shell';
import { safeText } from '../terminal/safe-text';

/** Maximum number of candidates listed per row. */
const CANDIDATES_SHOWN = 3;

export interface CommandPlace {
  /** `spring.3` */
  run: string;
  sandbox: boolean;
}

/** Complete commands that settle an unconfirmed row, the likeliest first; none for a row in another state. */
export function settleCommands(row: AttentionRow, place: CommandPlace, ambiguousKeys: ReadonlySet<string>): string[] {
  if (row.state !== 'unconfirmed') return [];
  const channel = ambiguousKeys.has(row.key) ? ` --channel ${shellWord(row.channel)}` : '';
  const key = shellWord(row.key);
  const flags = `${channel}${placeFlags(place.sandbox)}`;
  // A key that begins with a dash is only safe after `--`, at the end.
  const command = (decision: string): string =>
    row.key.startsWith('-')
      ? `reelay resolve ${place.run} ${decision}${flags} -- ${key}`
      : `reelay resolve ${place.run} ${key} ${decision}${flags}`;
  const published =
    row.values.via === 'direct'
      ? [command('--published')]
      : row.candidates.length === 0
        ? [command('--published PUBLICATION_ID')]
        : row.candidates.slice(0, CANDIDATES_SHOWN).map((id) => command(`--published ${shellWord(id)}`));
  return [...published, command('--not-published'), command('--give-up')];
}

/** How to find the id of a row's publication, which `--published` needs; null if the command has one, or needs none. */
export function idsCommand(row: AttentionRow, { sandbox }: CommandPlace): string | null {
  if (row.state !== 'unconfirmed' || row.values.via === 'direct' || row.candidates.length > 0) return null;
  const { profileId, profileName, platform } = row.values;
  const profile = profileName ?? profileId;
  return [
    'reelay publications list',
    ...(sandbox || row.account === 'default' ? [] : [`--account ${shellWord(row.account)}`]),
    ...(profile === null ? [] : [`--profile ${shellWord(profile)}`]),
    `--platform ${shellWord(platform)}${placeFlags(sandbox)}`,
  ].join(' ');
}

/** Keys that several of these rows have: their commands need the channel. */
export function ambiguousKeys(rows: readonly AttentionRow[]): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { key, state } of rows) {
    if (state !== 'unconfirmed') continue;
    if (seen.has(key)) twice.add(key);
    seen.add(key);
  }
  return twice;
}

/** The values of the column `resolve`, for people. */
export const RESOLVE_CELL =
  'a publication’s id, not-published or give-up; for a direct publish that is live: published';

/** A row that needs a person, as part of a summary. */
export interface ShownAttention {
  line: number;
  /** The name of the file that has the row, if the campaign's manifest doesn't. */
  file: string | null;
  key: string;
  state: string;
  channel: string;
  title: string | null;
  code: string | null;
  message: string | null;
  candidates: readonly string[];
  /** A direct publish: its outcome can't be read. */
  direct: boolean;
  /** Lists the publications that may include it; null if no id is needed. */
  ids: string | null;
  /** Complete commands that settle it. */
  commands: readonly string[];
}

/** The part of such a row that its first line shows. */
export type HeadFacts = Pick<
  ShownAttention,
  'line' | 'file' | 'key' | 'state' | 'channel' | 'title' | 'code' | 'message'
>;

/** `unconfirmed: row 3, key ep-3, Lisbon on foot (Travel · short) — …` */
export function attentionHead(row: HeadFacts, local: (text: string) => string = (text) => text): string {
  const name = [`row ${safeText(rowPlace(row))}`, `key ${safeText(row.key)}`, safeText(row.title ?? '')]
    .filter((part) => part !== '')
    .join(', ');
  return `${row.state === 'unconfirmed' ? 'unconfirmed' : 'look'}: ${name} (${safeText(row.channel)}) — ${safeText(local(row.message ?? row.code ?? ''))}`;
}

/** What a person needs to know about a row: the reason, the candidates, and every command that settles it. */
export function attentionLines(row: ShownAttention, local?: (text: string) => string): string[] {
  const lines = [attentionHead(row, local)];
  const more = row.candidates.length - CANDIDATES_SHOWN;
  if (row.candidates.length > 0)
    lines.push(
      `  may be: ${row.candidates.slice(0, CANDIDATES_SHOWN).map(safeText).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`,
    );
  if (row.ids !== null) lines.push(`  ${row.ids}`, '      lists the publications that may include it');
  for (const command of row.commands) lines.push(`  ${command}`, `      ${settleMeaning(command, row.direct)}`);
  return lines;
}
