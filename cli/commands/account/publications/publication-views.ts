import { rowPlace } from '../../../../wording/row-place';
import { type OwnerRow } from '../../../../ledger/publications/ownership';
import { type Publication } from '../../../../service/api/publication';
import { ExitError } from '../../../errors/errors';
import { EXIT } from '../../../errors/exit-codes';
import { type Output } from '../../../terminal/output';
import { safeText } from '../../../terminal/safe-text';
import { type ServiceSession } from '../../../shared/service-session';
import { type TableColumn } from '../../../terminal/table';

/** A publication in JSON: what the service shows of it (section 2.3), null where it shows nothing. */
export interface PublicationView {
  account: string;
  id: string;
  platform: string | null;
  status: string | null;
  privacy: string | null;
  video_id: string | null;
  video_url: string | null;
  published_at: string | null;
  title: string | null;
  description: string | null;
  profile_id: string | null;
  created_at: string | null;
  failure_reason: string | null;
  /** The row it belongs to; null if no row of this ledger has it. */
  row: { campaign: string; key: string; line: number; file: string | null; state: string } | null;
  /** Fields that the interface doesn't name, unchanged. */
  further: Record<string, unknown>;
}

export function viewOf(account: string, publication: Publication, owner: OwnerRow | undefined): PublicationView {
  return {
    account,
    id: publication.id,
    platform: publication.platform,
    status: publication.status,
    privacy: publication.privacy,
    video_id: publication.videoId,
    video_url: publication.videoUrl,
    published_at: publication.publishedAt,
    title: publication.title ?? null,
    description: publication.description ?? null,
    profile_id: publication.profileId ?? null,
    created_at: publication.createdAt ?? null,
    failure_reason: publication.failureReason ?? null,
    row:
      owner === undefined
        ? null
        : { campaign: owner.campaign, key: owner.key, line: owner.line, file: owner.file, state: owner.state },
    further: publication.extra,
  };
}

export const publicationColumns = (output: Output): readonly TableColumn<PublicationView>[] => [
  { title: 'ID', value: (row) => row.id, whole: true },
  { title: 'PLATFORM', value: (row) => row.platform, from: 130 },
  { title: 'STATUS', value: (row) => row.status },
  { title: 'CAMPAIGN', value: (row) => row.row?.campaign ?? null, shrink: true },
  { title: 'KEY', value: (row) => row.row?.key ?? null, shrink: true },
  { title: 'ROW', value: (row) => (row.row === null ? null : rowPlace(row.row)), align: 'right', from: 120 },
  { title: 'TITLE', value: (row) => row.title, shrink: true },
  { title: 'PUBLISHED', value: (row) => output.cell(row.published_at), from: 130 },
  { title: 'URL', value: (row) => row.video_url, shrink: true, from: 160 },
];

/** One publication (section 4.6). @throws ExitError if the service has none, with what the ledger knows about it */
export async function readPublication(session: ServiceSession, id: string): Promise<Publication> {
  demandId(id);
  const connection = session.connection();
  try {
    return await connection.client.getPublication(id);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const owner = (await session.ledger.ownersOf(connection.name, [id])).get(id);
    const known =
      owner === undefined
        ? 'Check the id and the account.'
        : `It belonged to key ${safeText(owner.key)} in campaign ${owner.campaign} (${owner.state}): its record was deleted. The ledger keeps the row.`;
    throw new ExitError(
      'no-such-publication',
      `the service has no publication ${safeText(id)} in account ${connection.name}`,
      EXIT.usage,
      known,
    );
  }
}

/** @throws ExitError for a text that can't be the id of a publication */
export function demandId(id: string): void {
  if (id.trim() !== '' && id !== '.' && id !== '..') return;
  throw new ExitError(
    'usage',
    `“${safeText(id)}” is not the id of a publication`,
    EXIT.usage,
    'See `reelay publications list`.',
  );
}

export function isNotFound(error: unknown): boolean {
  return (error as { kind?: unknown }).kind === 'not-found';
}
