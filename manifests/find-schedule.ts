import { decodeText } from './decode';
import { formatOf, loadManifest } from './load-file';
import { ProblemList } from './problems';
import { readYaml } from './read-yaml';
import { type ScheduleSetting } from './schedule-setting';
import { type ManifestSource } from './types';

/** The `schedule` of a manifest, without its rows; null where it has none, or one that can't be read. */
export async function findSchedule(source: ManifestSource): Promise<ScheduleSetting | null> {
  const problems = new ProblemList();
  const { bytes, path } = await loadManifest(source, problems);
  // Most manifests have none: a look at the bytes is cheaper than reading a hundred thousand rows twice.
  if (!bytes.includes('schedule')) return null;
  const text = decodeText(bytes, problems, { file: null });
  if (text === null || formatOf(path, text) !== 'yaml' || !/^[\s{,]*["']?schedule["']?\s*:/m.test(text)) return null;
  return readYaml(text, problems)?.settings.schedule ?? null;
}
