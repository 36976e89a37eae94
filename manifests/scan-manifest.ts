import { createHash } from 'node:crypto';
import { BlankProfiles } from './checks/channel/blank-profiles';
import { checkExpiry } from './checks/time/check-expiry';
import { UnreadTimes } from './checks/time/unread-times';
import { checkPlaceholders } from './checks/source/check-placeholders';
import { FileChecker } from './checks/source/check-files';
import { RowChecker } from './checks/check-rows';
import { ShiftedCells } from './checks/text/shifted-cells';
import { Defaults } from './settings/defaults';
import { DuplicateFinder } from './checks/source/duplicates';
import { CampaignFinder } from './fields/find-campaign';
import { loadManifest } from './parse/load-file';
import { ProblemList } from './problems/problems';
import { type RawRow, type RawTable } from './raw-row';
import { type ManifestParts, readParts } from './parse/read-parts';
import { type DraftRow } from './checks/row-context';
import { Template } from './templates/template';
import {
  type ManifestCheck,
  type ManifestSettings,
  type ManifestSource,
  type ReadOptions,
  type RemoteTrust,
} from './types';

/** Rows handled together: enough to inspect several files at once, few enough for memory. */
const BATCH = 64;

/** Receives a row as written and the rows made from it, with those marked that have no error. */
export type RowSink = (raw: RawRow, drafts: readonly { draft: DraftRow; sound: boolean }[]) => void;

/** The result of scanning a manifest; lines of rows that were found wrong only at the end are listed. */
export interface Scanned extends ManifestCheck {
  refusedLater: ReadonlySet<number>;
}

/**
 * Scans a manifest row by row and hands each to the sink; only what identifies a row is kept here. All problems at
 * once, and no exception for mistakes in it.
 */
export async function scanManifest(source: ManifestSource, given: ReadOptions, sink: RowSink): Promise<Scanned> {
  const problems = new ProblemList({ strict: given.strict ?? false, allProblems: given.allProblems ?? false });
  const { file, parts, fileHash } = await load(source, given, problems);
  const { options } = parts;
  const campaign = new CampaignFinder({
    asked: options.campaign,
    own: parts.yaml?.settings.campaign,
    path: file.path,
    problems,
  });
  const template = new Template(parts.settings, options, problems);
  const defaults = new Defaults(options, parts.defaults, problems, (slots) => template.expandDefaults(slots));
  const context = {
    defaults,
    platforms: options.platforms,
    accounts: options,
    problems,
    base: file.base,
    remote: file.remote,
    now: options.now,
    past: options.past ?? 'refuse',
    timezone: parts.settings.timezone,
    dateFormat: parts.settings.dateFormat,
    repeat: parts.settings.repeat,
    realService: options.realService ?? false,
  };
  const walk = new Walk(parts.table, { ...context, template }, campaign, sink);
  const { lines, urls } = await walk.all();
  // A folder may be empty until a file arrives.
  if (parts.table !== undefined && lines === 0 && !parts.folder && !problems.hasErrors) {
    problems.add({ code: 'no-rows', at: { ...parts.table.header, line: null }, message: 'The manifest has no rows.' });
  }
  const refusedLater = walk.blankProfiles.finish(problems);
  return {
    campaign: campaign.finish(),
    path: file.remote?.address ?? file.path,
    format: parts.format,
    text: parts.text,
    fileHash,
    sheet: parts.sheet,
    ...(parts.places === null ? {} : { workbook: parts.places }),
    ...(parts.folder ? { folder: true as const } : {}),
    ...(parts.unsettled === null ? {} : { unsettled: parts.unsettled }),
    columns: [...(parts.table?.columns ?? [])],
    settings: parts.settings,
    goodRows: walk.goodRows(refusedLater),
    problems: problems.finish(),
    notChecked: notChecked(urls),
    refusedLater,
  };
}

/** The bytes are not passed on: beside the text they would double the memory of a large file. */
async function load(
  source: ManifestSource,
  options: ReadOptions,
  problems: ProblemList,
): Promise<{
  file: { path: string; base: string; remote: RemoteTrust | null };
  parts: ManifestParts;
  fileHash: string;
}> {
  const { bytes, ...file } = await loadManifest(source, problems);
  const hash = createHash('sha256').update(bytes);
  const { sheetBytes, ...parts } = await readParts({ ...file, bytes }, options, problems);
  if (sheetBytes !== null) hash.update('\0sheet\0').update(sheetBytes);
  return { file, parts, fileHash: hash.digest('hex') };
}

type WalkContext = ConstructorParameters<typeof RowChecker>[1] & {
  template: Template;
  repeat: ManifestSettings['repeat'];
  realService: boolean;
};

class Walk {
  readonly blankProfiles = new BlankProfiles();
  readonly #table: RawTable | undefined;
  readonly #context: WalkContext;
  readonly #campaign: CampaignFinder;
  readonly #sink: RowSink;
  #good = 0;
  /** Good rows by line, of lines that may still be refused. */
  readonly #blankGood = new Map<number, number>();

  constructor(table: RawTable | undefined, context: WalkContext, campaign: CampaignFinder, sink: RowSink) {
    this.#table = table;
    this.#context = context;
    this.#campaign = campaign;
    this.#sink = sink;
  }

  goodRows(refusedLater: ReadonlySet<number>): number {
    let refused = 0;
    for (const line of refusedLater) refused += this.#blankGood.get(line) ?? 0;
    return this.#good - refused;
  }

  async all(): Promise<{ lines: number; urls: number }> {
    let lines = 0;
    let urls = 0;
    if (this.#table === undefined) return { lines, urls };
    const { problems, now, realService } = this.#context;
    const checker = new RowChecker(this.#table, this.#context);
    const files = new FileChecker(problems);
    const unreadTimes = new UnreadTimes(this.#table, now);
    const shifted = new ShiftedCells();
    const duplicates = new DuplicateFinder(problems, { repeat: this.#context.repeat });
    for (const raws of batches(this.#table.rows(), BATCH)) {
      lines += raws.length;
      const made = raws.map((raw) => {
        problems.startRow();
        this.#context.template.expandRow(raw);
        this.#campaign.take(raw);
        const drafts = checker.check(raw);
        unreadTimes.take(raw, drafts);
        return drafts;
      });
      const drafts = made.flat();
      await files.check(drafts);
      checkExpiry(drafts, now, problems);
      if (realService) checkPlaceholders(drafts, problems);
      for (const [index, raw] of raws.entries()) {
        const checked = (made[index] ?? []).map((draft) => {
          shifted.take(draft);
          const sound = this.#judge(draft, duplicates);
          if (sound && draft.row.sourceKind === 'url' && !draft.row.skip) urls += 1;
          return { draft, sound };
        });
        this.#sink(raw, checked);
      }
    }
    unreadTimes.finish(problems);
    shifted.finish(problems);
    return { lines, urls };
  }

  #judge(draft: DraftRow, duplicates: DuplicateFinder): boolean {
    const { row, raw, sourceAt, ok, identified } = draft;
    this.blankProfiles.take(draft);
    const at = raw.slots.get('key')?.at ?? sourceAt;
    const again = identified && duplicates.isAgain({ row, profile: row.profile, at });
    if (!ok || again) return false;
    // Without a final error, but not valid yet: it may already be done, which only the ledger knows.
    if (row.deferredErrors.length > 0) return true;
    this.#good += 1;
    if (row.profile === null) this.#blankGood.set(row.line, (this.#blankGood.get(row.line) ?? 0) + 1);
    return true;
  }
}

function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function notChecked(urls: number): string[] {
  return [
    'whether the profiles exist and have these platforms',
    'what earlier runs did with these rows',
    ...(urls === 0
      ? []
      : [`whether the ${urls === 1 ? 'URL' : `${urls.toLocaleString('en-US')} URLs`} can be downloaded`]),
  ];
}
