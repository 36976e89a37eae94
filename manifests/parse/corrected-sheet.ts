import { Columns } from '../fields/columns';
import { ProblemList } from '../problems/problems';
import { type Cell } from '../raw-row';
import { layerSettings, type OwnSettings } from '../settings/settings';
import { type CorrectedManifest, type ReadOptions } from '../types';
import { showValue } from '../text';
import { readCsv } from './csv/read-csv';
import { type WorkbookTable } from './workbook/workbook-table';
import { readYaml, yamlDefaults } from './yaml/read-yaml';

/** A sheet that reelay wrote, of rows to correct: read as the manifest was that the rows are from. */
export interface CorrectedSheet {
  options: ReadOptions;
  settings: OwnSettings;
  defaults: ReadonlyMap<string, Cell>;
}

/**
 * How a sheet is read that corrects rows of a campaign: with the settings, defaults and flags of the campaign's manifest,
 * below those that are given now. Null: it isn't one, or its campaign isn't known.
 */
export async function readAsCorrected(
  sheet: { text: string; workbook?: WorkbookTable },
  options: ReadOptions,
  problems: ProblemList,
): Promise<CorrectedSheet | null> {
  const campaign = options.corrected === undefined ? null : campaignOf(sheet, options);
  if (options.corrected === undefined || campaign === null) return null;
  const manifest = await options.corrected(campaign);
  if (manifest === null) {
    const message = `Campaign ${showValue(campaign)} isn’t in this ledger: the settings and defaults of its manifest don’t apply to this sheet.`;
    problems.add({ code: 'settings-unknown', at: { line: null, column: 'reelay_campaign' }, value: campaign, message });
    return null;
  }
  const read = { options: withFlagsOf(manifest, options), ...topOf(manifest, options) };
  // In results, placeholders are filled in already.
  if (sheet.text.slice(0, HEADER_CHARACTERS).includes('reelay_key')) delete read.settings.template;
  return read;
}

/** The campaign that its rows say they are from; rows of the user's own say nothing. */
function campaignOf(sheet: { text: string; workbook?: WorkbookTable }, options: ReadOptions): string | null {
  const head = sheet.text.slice(0, HEADER_CHARACTERS);
  if (!head.includes('reelay_campaign')) return null;
  const problems = silent();
  const columns = new Columns({ platforms: options.platforms, problems, settings: 'csv' });
  for (const row of readCsv({ ...sheet, columns, problems }).rows()) {
    const campaign = row.result.get('reelay_campaign')?.text.trim() ?? '';
    if (campaign !== '') return campaign;
  }
  return null;
}

/** What was said by flags, and by another config, when the manifest was submitted. */
function withFlagsOf({ options: before, configured }: CorrectedManifest, now: ReadOptions): ReadOptions {
  const { account, timezone, past, givenDefaults } = before;
  return {
    ...now,
    ...configured,
    ...(now.account === undefined && account !== undefined ? { account } : {}),
    ...(now.timezone === undefined && timezone !== undefined ? { timezone } : {}),
    ...(now.past === undefined && past !== undefined ? { past } : {}),
    givenDefaults: { ...givenDefaults, ...now.givenDefaults },
  };
}

/** The top of its YAML, overridden by what its flags set; what is about when and how often a manifest is submitted isn't taken. */
function topOf({ yaml, options: before }: CorrectedManifest, now: ReadOptions): Omit<CorrectedSheet, 'options'> {
  const problems = silent();
  const top = yaml === null ? undefined : readYaml(yaml, problems);
  const settings: OwnSettings = layerSettings(top?.settings, before.settings);
  delete settings.campaign;
  delete settings.schedule;
  delete settings.take;
  // The rows of one run are corrected, not all of them published once more.
  if (settings.repeat === 'every-run') settings.repeat = 'allow';
  const defaults = new Map<string, Cell>();
  for (const [slot, cell] of top === undefined ? [] : yamlDefaults(top, now.platforms, problems))
    defaults.set(slot, { ...cell, at: { ...cell.at, line: null } });
  return { settings, defaults };
}

/** What was accepted before isn't reported again. */
function silent(): ProblemList {
  return new ProblemList({ strict: false, allProblems: false });
}

/** Longer than any header that is read. */
const HEADER_CHARACTERS = 100_000;
