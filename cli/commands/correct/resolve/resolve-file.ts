import { type AttentionRow } from '../../../../ledger/model/result-types';
import { type ShownProblem, UsageError } from '../../../errors/errors';
import { chooseRow, publishedAs, type Verdict } from './resolve-choice';
import { RESOLVE_CELL } from '../../../summary/settle-commands';
import { nearest } from '../../../terminal/nearest';
import { unguardFormula } from '../../../../wording/formula';

export interface FileVerdict {
  line: number;
  row: AttentionRow;
  verdict: Verdict;
}

/**
 * Verdicts from a CSV, such as a results CSV with an added column `resolve`: a publication's id, `published` (a direct
 * publish), `not-published` or `give-up`; rows with an empty cell are left out. Problems are collected, each with its
 * line.
 * @throws UsageError if the file can't be read, or has no such columns
 */
export async function readVerdicts(
  path: string,
  rows: readonly AttentionRow[],
  campaign: string,
): Promise<{ verdicts: FileVerdict[]; problems: ShownProblem[] }> {
  const { readFile } = await import('node:fs/promises');
  const [{ detectDialect }, { readRecords }] = await Promise.all([
    import('../../../../manifests/parse/csv/csv-dialect.js'),
    import('../../../../manifests/parse/csv/read-records.js'),
  ]);
  const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
  const dialect = detectDialect(text);
  const verdicts: FileVerdict[] = [];
  const problems: ShownProblem[] = [];
  const seen = new Map<number, number>();
  let columns: Columns | null = null;
  for (const { line, cells, fault } of readRecords(text, dialect.delimiter, dialect.start, dialect.line)) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (columns === null) {
      columns = columnsOf(cells, path);
      continue;
    }
    const say = (column: string, value: string, message: string, hint: string | null): number =>
      problems.push({ severity: 'error', line, column, code: 'resolve-row', value, message, hint });
    if (fault !== undefined) {
      say(
        'resolve',
        fault.value,
        'a quote is not closed, or is inside an unquoted cell',
        'Fix the quotes on this line.',
      );
      continue;
    }
    const cell = (at: number): string => {
      const written = cells[at] ?? '';
      return (columns?.guarded === true ? unguardFormula(written) : written).trim();
    };
    const said = cell(columns.resolve);
    if (said === '') continue;
    const of = columns.campaign === -1 ? '' : cell(columns.campaign);
    if (of !== '' && of !== campaign) {
      say('reelay_campaign', of, `the row belongs to campaign ${of}, not to ${campaign}`, OTHER_CAMPAIGN);
      continue;
    }
    try {
      const row = chooseRow(narrowed(rows, columns, cell), { campaign, key: cell(columns.key) });
      const made = columns.attempts === -1 ? '' : cell(columns.attempts);
      if (made !== '' && Number(made) !== row.attempts) {
        say('reelay_attempts', made, madeBefore(row, made), newSheet(campaign));
        continue;
      }
      const before = seen.get(row.rowId);
      if (before !== undefined)
        say('resolve', said, `line ${String(before)} settles the same row`, 'Keep one of the two.');
      else verdicts.push({ line, row, verdict: verdictOfCell(said) });
      seen.set(row.rowId, before ?? line);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      say('resolve', said, error.message, error.hint);
    }
  }
  if (columns === null) throw new UsageError(`--from: ${path} is empty`);
  return { verdicts, problems };
}

/** A row of another campaign may have the same key: what is known of one says nothing of the other. */
const OTHER_CAMPAIGN = 'Settle each campaign’s rows with a file of its own, and name that campaign.';

/** What a person decided about an earlier create says nothing of the newest one. */
function madeBefore({ attempts }: AttentionRow, made: string): string {
  const now = attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`;
  return `the row has ${now} by now, and ${made} in this file: it was sent again since the file was made`;
}

function newSheet(campaign: string): string {
  return `Make a new file with \`reelay results ${campaign} --state unconfirmed -o csv\`, and decide again.`;
}

interface Columns {
  attempts: number;
  key: number;
  resolve: number;
  campaign: number;
  account: number;
  platform: number;
  profileId: number;
  guarded: boolean;
}

function columnsOf(cells: readonly string[], path: string): Columns {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const at = (...wanted: string[]): number =>
    wanted.map((name) => names.indexOf(name)).find((index) => index !== -1) ?? -1;
  const columns = {
    key: at('reelay_key', 'key'),
    resolve: at('resolve', 'reelay_resolve'),
    campaign: at('reelay_campaign'),
    account: at('reelay_account'),
    platform: at('reelay_platform'),
    profileId: at('reelay_profile_id'),
    attempts: at('reelay_attempts'),
    guarded: names.some((name) => name.startsWith('reelay_')),
  };
  const missing = (['key', 'resolve'] as const).filter((name) => columns[name] === -1);
  if (missing.length === 0) return columns;
  throw new UsageError(
    `--from: ${path} has no column ${missing.map((name) => `“${name}”`).join(' and no ')}`,
    `It needs “key” (or “reelay_key”) and “resolve” (${RESOLVE_CELL}).`,
  );
}

/** A results CSV also has the channel. */
function narrowed(rows: readonly AttentionRow[], columns: Columns, cell: (at: number) => string): AttentionRow[] {
  const at = (column: number): string => (column === -1 ? '' : cell(column));
  const [account, platform, profileId] = [at(columns.account), at(columns.platform), at(columns.profileId)];
  return rows.filter(
    (row) =>
      (account === '' || row.account === account) &&
      (platform === '' || row.values.platform === platform) &&
      (profileId === '' || row.values.profileId === profileId),
  );
}

function verdictOfCell(text: string): Verdict {
  const word = text.toLowerCase().replaceAll(/[ _]/g, '-');
  if (word === 'not-published' || word === 'give-up') return { kind: word };
  if (word === 'published') return { kind: 'published', publicationId: null };
  const meant = nearest(word, ['published', 'not-published', 'give-up']);
  if (meant !== null)
    throw new UsageError(
      `resolve: “${text}” is neither a publication’s id nor one of published, not-published and give-up`,
      `Did you mean ${meant}?`,
    );
  return publishedAs(text, 'resolve');
}
