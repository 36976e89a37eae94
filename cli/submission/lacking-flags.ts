import { commandText } from '../../wording/shell';
import { flagWords } from '../../wording/given-flags';
import { manifestFlags } from '../shared/run-config';
import { type Settings } from '../config/settings';
import { givenFlags } from './given-flags';
import { type SubmitFlags } from './submit-flags';

/** Flags about how a file is read. */
const OF_READING: readonly string[] = [
  ...['--account', '--timezone', '--date-format', '--column', '--default', '--encoding', '--delimiter', '--sheet'],
  ...['--ambiguous', '--template', '--missing'],
];

/** How a campaign's manifest was read when it was submitted last, as far as a command doesn't ask for the same. */
export interface LackingFlags {
  campaign: string;
  /** `--column Datum=publish_at --timezone Europe/Berlin` */
  text: string;
}

/** Null: the command has every flag that the manifest was read with, or the campaign is new. */
export async function lackingFlags(
  campaign: string,
  { flags, settings }: { flags: SubmitFlags; settings: Settings },
): Promise<LackingFlags | null> {
  const { openForReading } = await import('../stack/engine.js');
  const ledger = await openForReading(settings);
  const earlier = await manifestFlags(ledger, campaign).finally(() => ledger.close());
  const now = new Set(givenFlags(flags).map(([flag]) => flag));
  const lacking = earlier.filter(([flag]) => OF_READING.includes(flag) && !now.has(flag));
  if (lacking.length === 0) return null;
  return { campaign, text: commandText(flagWords(lacking)).replace(/^reelay /u, '') };
}
