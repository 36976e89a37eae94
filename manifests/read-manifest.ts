import { createHash } from 'node:crypto';
import { checkExpiry } from './check-expiry';
import { checkFiles } from './check-files';
import { checkRows } from './check-rows';
import { Defaults } from './defaults';
import { findDuplicates } from './duplicates';
import { findCampaign } from './find-campaign';
import { loadManifest } from './load-file';
import { ProblemList } from './problems';
import { type RawTable } from './raw-row';
import { readParts } from './read-parts';
import { type ManifestReading, type ManifestSource, type ReadOptions } from './types';

/**
 * Reads and checks a manifest: all problems at once, nothing is thrown for what is wrong in it. It touches the manifest, its
 * sheet and the files its rows name; never the network. The same input at the same `now` gives the same reading
 * whatever the machine's time zone and current folder.
 */
export async function readManifest(source: ManifestSource, options: ReadOptions): Promise<ManifestReading> {
  const problems = new ProblemList({ strict: options.strict ?? false, allProblems: options.allProblems ?? false });
  const file = await loadManifest(source, problems);
  const hash = createHash('sha256').update(file.bytes);
  const parts = await readParts(file, options, problems);
  if (parts.sheet !== null) hash.update('\0sheet\0').update(parts.sheet.bytes);
  const table: RawTable = parts.table ?? {
    columns: [],
    rows: [],
    slots: new Set(),
    header: { line: null, column: null },
    format: parts.format,
  };
  const campaign = findCampaign({
    asked: options.campaign,
    own: parts.yaml?.settings.campaign,
    rows: table.rows,
    path: file.path,
    problems,
  });
  if (parts.table?.rows.length === 0) {
    const at = { ...table.header, line: null };
    if (!problems.hasErrors) problems.add({ code: 'no-rows', at, message: 'The manifest has no rows.' });
  }
  const { drafts, invalid } = checkRows(table, {
    defaults: new Defaults(options, parts.defaults, problems),
    platforms: options.platforms,
    accounts: options,
    problems,
    base: file.base,
    now: options.now,
    past: options.past ?? 'refuse',
    timezone: parts.settings.timezone,
  });
  await checkFiles(drafts, problems);
  checkExpiry(drafts, options.now, problems);
  const identified = drafts.filter((draft) => draft.identified);
  const again = findDuplicates(
    identified.map(({ row, raw, sourceAt }) => ({
      row,
      profile: row.profile,
      at: raw.slots.get('key')?.at ?? sourceAt,
    })),
    problems,
  );
  const sound = drafts.filter(({ row, ok }) => ok && !again.has(row));
  const rows = sound.map(({ row }) => row);
  const kept = new Set(rows);
  const broken = new Map(invalid.map((row) => [row.line, row]));
  for (const { row } of drafts) if (!kept.has(row)) broken.set(row.line, { line: row.line, cells: row.cells });
  const invalidRows = [...broken.values()].sort((a, b) => a.line - b.line);
  return {
    campaign,
    path: file.path,
    format: parts.format,
    text: parts.text,
    fileHash: hash.digest('hex'),
    sheet: parts.sheet === null ? null : { path: parts.sheet.path, text: parts.sheet.text },
    columns: table.columns,
    settings: parts.settings,
    rows,
    invalidRows,
    invalidLines: invalidRows.map(({ line }) => line),
    problems: problems.finish(),
    notChecked: notChecked(rows),
  };
}

function notChecked(rows: ManifestReading['rows']): string[] {
  const urls = rows.filter((row) => row.sourceKind === 'url' && !row.skip).length;
  return [
    'profiles: whether they exist and show these platforms (the service knows)',
    'history: what earlier submits did with these rows (the ledger knows)',
    ...(urls === 0
      ? []
      : [
          `urls: whether the service can download ${urls === 1 ? 'the URL' : `the ${urls.toLocaleString('en-US')} URLs`}`,
        ]),
  ];
}
