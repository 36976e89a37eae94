import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { UsageError } from '../errors/errors';

/**
 * The delimiter of a campaign's manifest, for files that are opened and corrected in the program that the manifest
 * comes from.
 */
export async function manifestDelimiter(ledger: ReadingLedger & RunningLedger, campaign: string): Promise<string> {
  const start = await ledger.manifestStart(campaign);
  if (start?.format !== 'csv') return ',';
  const given = (await ledger.correctedFlags(campaign)) ?? [];
  const { delimiterOfCopy } = await import('../../manifests/parse/csv/csv-dialect.js');
  return delimiterOfCopy(start.text, given.find(([flag]) => flag === '--delimiter')?.[1]);
}

/** @throws UsageError for a delimiter that would have to be named again when the file is read */
export async function delimiterFlag(text: string): Promise<string> {
  const { delimiterNamed, isDetected } = await import('../../manifests/parse/csv/csv-dialect.js');
  const delimiter = delimiterNamed(text);
  if (delimiter !== undefined && isDetected(delimiter)) return delimiter;
  throw new UsageError(`--delimiter: “${text}” is not a delimiter of results`, 'Give , or ; or tab or | (in quotes).');
}
