import { type AttentionRow } from '../../../../ledger/model/result-types';
import { UsageError } from '../../../errors/errors';
import { shellWord } from '../../../../wording/shell';

/** A person's decision about an unconfirmed row. The id is null for a direct publish that is live, which needs none. */
export type Verdict =
  { kind: 'published'; publicationId: string | null } | { kind: 'not-published' } | { kind: 'give-up' };

export interface VerdictFlags {
  /** True: without an id. */
  published?: string | true;
  notPublished?: boolean;
  giveUp?: boolean;
}

/** Exactly one of the three flags. @throws UsageError */
export function verdictOf(flags: VerdictFlags): Verdict {
  const given = [flags.published !== undefined, flags.notPublished === true, flags.giveUp === true];
  if (given.filter(Boolean).length !== 1) {
    throw new UsageError(
      given.some(Boolean) ? 'give only one of --published, --not-published and --give-up' : 'no decision was given',
      '--published ID: it is that publication · --not-published: it doesn’t exist, create it · --give-up: create nothing.',
    );
  }
  if (flags.published === true) return { kind: 'published', publicationId: null };
  if (flags.published !== undefined) return publishedAs(flags.published, '--published');
  return flags.notPublished ? { kind: 'not-published' } : { kind: 'give-up' };
}

/** @throws UsageError for what can't be a publication's id */
export function publishedAs(text: string, where: string): Verdict {
  const publicationId = text.trim();
  if (
    publicationId === '' ||
    publicationId === 'PUBLICATION_ID' ||
    /\s/.test(publicationId) ||
    publicationId.length > 512
  ) {
    throw new UsageError(
      `${where}: “${text}” is not a publication’s id`,
      'The id is what the service calls the publication; `reelay results RUN --state unconfirmed` shows candidates.',
    );
  }
  return { kind: 'published', publicationId };
}

/** The row to settle, identified by a key (and a channel). @throws UsageError */
export function chooseRow(
  rows: readonly AttentionRow[],
  wanted: { campaign: string; key: string; channelId?: string },
): AttentionRow {
  const { campaign, key, channelId } = wanted;
  const found = rows.filter((row) => row.key === key && (channelId === undefined || row.channelId === channelId));
  const [row] = found;
  if (!row) {
    const keys = rows.slice(0, 10).map((one) => one.key);
    throw new UsageError(
      `${campaign} has no unconfirmed row with the key “${key}”${channelId === undefined ? '' : ' in that channel'}`,
      keys.length === 0
        ? `No row of this campaign is unconfirmed; \`reelay retry ${campaign}\` tries failed and rejected ones again.`
        : `Unconfirmed: ${keys.join(', ')}${rows.length > keys.length ? ', …' : ''}.`,
    );
  }
  if (found.length === 1) return row;
  throw new UsageError(
    `the key “${key}” is unconfirmed in ${String(found.length)} channels`,
    `Add one of: ${found.map((one) => `--channel ${shellWord(one.channel)}`).join(', ')}.`,
  );
}
