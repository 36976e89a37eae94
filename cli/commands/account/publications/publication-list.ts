import { rowPlace } from '../../../../wording/row-place';
import { type AccountConnection } from '../../../../service/accounts';
import { type ListPublicationsQuery } from '../../../../service/api/client';
import { type Publication } from '../../../../service/api/publication';
import { type CommandContext, type CommandFlags } from '../../../command';
import { UsageError } from '../../../errors/errors';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';
import { type Output } from '../../../terminal/output';
import { isNotFound, publicationColumns, type PublicationView, readPublication, viewOf } from './publication-views';
import { safeText } from '../../../terminal/safe-text';
import { openSession, type ServiceSession } from '../../../shared/service-session';

export interface ListFlags extends CommandFlags {
  profile?: string;
  platform?: string;
  status?: 'pending' | 'processing' | 'published' | 'failed' | 'draft';
  limit?: string;
  offset?: string;
  all?: boolean;
}

interface Found {
  publications: Publication[];
  /** The number according to the service; null if it doesn't show one, or if the ledger was asked. */
  total: number | null;
  limit: number | null;
  offset: number | null;
}

/** Publications, newest first, with all filters of the interface (section 4.4); drafts come from the ledger. */
export async function listPublications({ output, flags: shared }: CommandContext, flags: ListFlags): Promise<ExitCode> {
  const limit = wholeNumber('--limit', flags.limit, 1, 100);
  const offset = wholeNumber('--offset', flags.offset, 0, Number.MAX_SAFE_INTEGER);
  const session = await openSession(output, shared);
  try {
    const connection = session.connection();
    const filter = await filterOf(session, connection, flags);
    const found =
      flags.status === 'draft'
        ? await drafts(session, connection, filter, { limit, offset })
        : flags.all
          ? await everything(connection, { ...filter, ...(flags.status === undefined ? {} : { status: flags.status }) })
          : await onePage(connection, {
              ...filter,
              ...(flags.status === undefined ? {} : { status: flags.status }),
              ...(limit === undefined ? {} : { limit }),
              ...(offset === undefined ? {} : { offset }),
            });
    const owners = await session.ledger.ownersOf(
      connection.name,
      found.publications.map(({ id }) => id),
    );
    const views = found.publications.map((one) => viewOf(connection.name, one, owners.get(one.id)));
    await answer(output, connection.name, found, views);
  } finally {
    await session.close();
  }
  return EXIT.ok;
}

async function answer(output: Output, account: string, found: Found, views: readonly PublicationView[]): Promise<void> {
  const { total, limit, offset } = found;
  if (output.format === 'jsonl') {
    for (const view of views) await output.json(view);
    return;
  }
  if (output.format === 'json') {
    await output.json({ version: 1, account, total, limit, offset, publications: views });
    return;
  }
  const own = views.filter(({ row }) => row !== null).length;
  await output.table(views, publicationColumns(output));
  const shown =
    total !== null && total > views.length ? `${String(views.length)} of ${String(total)}` : String(views.length);
  output.note(`${shown} shown, ${String(own)} of them rows of this ledger.`);
}

async function onePage({ client }: AccountConnection, query: ListPublicationsQuery): Promise<Found> {
  return client.listPublications(query);
}

async function everything({ client }: AccountConnection, query: ListPublicationsQuery): Promise<Found> {
  const { readAllPublications } = await import('../../../../service/api/all-publications.js');
  const publications = await readAllPublications(client, query);
  return { publications, total: publications.length, limit: null, offset: 0 };
}

/** The list's filter has no value for drafts: those of rows are read one by one. */
async function drafts(
  { ledger }: ServiceSession,
  { name, client }: AccountConnection,
  filter: Pick<ListPublicationsQuery, 'profileId' | 'platform'>,
  page: { limit: number | undefined; offset: number | undefined },
): Promise<Found> {
  const rows = (await ledger.draftRows(name)).filter(
    (row) =>
      (filter.platform === undefined || row.platform === filter.platform) &&
      (filter.profileId === undefined || row.profileId === filter.profileId),
  );
  const start = page.offset ?? 0;
  const publications: Publication[] = [];
  for (const row of rows.slice(start, page.limit === undefined ? undefined : start + page.limit)) {
    try {
      publications.push(await client.getPublication(row.publicationId));
    } catch (error) {
      // Deleted elsewhere: the row's state stays `drafted`.
      if (!isNotFound(error)) throw error;
    }
  }
  return { publications, total: rows.length, limit: page.limit ?? null, offset: start };
}

async function filterOf(
  { settings }: ServiceSession,
  connection: AccountConnection,
  flags: ListFlags,
): Promise<Pick<ListPublicationsQuery, 'profileId' | 'platform'>> {
  const filter: { profileId?: string; platform?: string } = {};
  if (flags.platform !== undefined) {
    const platforms = settings.accounts.find(({ name }) => name === connection.name)?.platforms ?? settings.platforms;
    const wanted = flags.platform.trim().toLowerCase();
    const byName = platforms.filter(({ name }) => name.toLowerCase() === wanted);
    const found = byName.length > 0 ? byName : platforms.filter(({ kind }) => kind === wanted);
    const [platform] = found;
    if (platform === undefined || found.length > 1) {
      const choices = platforms.map(({ name, kind }) => `${name} (${kind})`).join(', ');
      throw new UsageError(`--platform: “${flags.platform}” is not a configured platform`, `There are: ${choices}.`);
    }
    filter.platform = platform.name;
  }
  if (flags.profile !== undefined) {
    const { profileId } = await import('../profile-views.js');
    const id = profileId((await connection.client.listProfiles()).profiles, flags.profile);
    if (id === null)
      throw new UsageError(
        '--profile: the service has no filter for publications without a profile',
        'Leave --profile out, or name a profile.',
      );
    filter.profileId = id;
  }
  return filter;
}

/** One publication, with everything that the service shows and what the ledger knows about its row. */
export async function showPublication({ output, flags }: CommandContext, id: string): Promise<ExitCode> {
  const session = await openSession(output, flags);
  try {
    const publication = await readPublication(session, id);
    const { name } = session.connection();
    const owner = (await session.ledger.ownersOf(name, [publication.id])).get(publication.id);
    const view = viewOf(name, publication, owner);
    const history = owner === undefined ? [] : await session.ledger.decisionsOf(owner.rowId);
    if (!output.isText) {
      await output.json({ version: 1, publication: view, decisions: history });
      return EXIT.ok;
    }
    const { row, further, ...fields } = view;
    await output.lines([
      ...Object.entries(fields).flatMap(([field, value]) =>
        value === null ? [] : [`${field}\t${safeText(field.endsWith('_at') ? (output.cell(value) ?? '') : value)}`],
      ),
      row === null
        ? 'row\tnone of this ledger'
        : `row\tcampaign ${row.campaign}, row ${safeText(rowPlace(row))}, key ${safeText(row.key)}: ${row.state}`,
      ...history.map((one) => `decision\t${one.kind} by ${safeText(one.by)} at ${output.cell(one.at) ?? ''}`),
      ...Object.entries(further).map(
        ([field, value]) => `further.${safeText(field)}\t${safeText(JSON.stringify(value)).slice(0, 300)}`,
      ),
    ]);
    if (publication.status === 'published' && publication.videoUrl === null)
      output.note('The service shows no address of the video.');
  } finally {
    await session.close();
  }
  return EXIT.ok;
}

function wholeNumber(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${String(min)}` : `from ${String(min)} to ${String(max)}`;
  throw new UsageError(`${flag}: “${text}” is not a whole number ${range}`, 'Use --all for every page.');
}
