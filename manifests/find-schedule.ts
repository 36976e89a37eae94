import { decodeText, foreignFormat } from './parse/decode';
import { formatOf, loadManifest } from './parse/load-file';
import { ProblemList } from './problems/problems';
import { readYaml } from './parse/yaml/read-yaml';
import { type ScheduleSetting } from './settings/schedule-setting';
import { type OwnSettings } from './settings/settings';
import { type ManifestSource } from './types';

/** The `schedule` of a manifest, without its rows; null where it has none, or one that can't be read. */
export async function findSchedule(source: ManifestSource): Promise<ScheduleSetting | null> {
  // Most manifests have none: checking the bytes is cheaper than reading a hundred thousand rows twice.
  const own = await findSettings(source, /^(?:[^\S\r\n\u2028\u2029]|[{,])*["']?schedule["']?\s*:/m);
  return own?.schedule ?? null;
}

/** The valid settings at the top of a YAML manifest; null for a CSV, and if the text doesn't match `look`. */
export async function findSettings(source: ManifestSource, look?: RegExp): Promise<OwnSettings | null> {
  const problems = new ProblemList();
  const { bytes, path } = await loadManifest(source, problems);
  if (foreignFormat(bytes) !== undefined) return null;
  const text = decodeText(bytes, problems, { file: null });
  if (text === null || formatOf(path, text) !== 'yaml' || look?.test(text) === false) return null;
  return readYaml(text, problems)?.settings ?? null;
}
