import { type AccountConnection } from '../../../../service/accounts';
import { type Publication } from '../../../../service/api/publication';
import { type CommandContext, type CommandFlags } from '../../../command';
import { ExitError, UsageError } from '../../../errors/errors';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';
import { readPublication, viewOf } from './publication-views';
import { safeText } from '../../../terminal/safe-text';
import { openSession, type ServiceSession } from '../../../shared/service-session';

export interface EditFlags extends CommandFlags {
  title?: string;
  description?: string;
  privacy?: string;
  status?: string;
}

/**
 * Changes a draft or pending publication (section 4.7). Changes that the interface rules out are refused without asking
 * the service.
 */
export async function editPublication(
  { output, flags: shared }: CommandContext,
  id: string,
  flags: EditFlags,
): Promise<ExitCode> {
  const { patchProblems } = await import('../../../../activities/publish/drafts/patch-rules.js');
  const patch = patchOf(flags);
  if (Object.keys(patch).length === 0)
    throw new UsageError('no change was given', 'Give --title, --description, --privacy or --status.');
  const atOnce = patchProblems(patch, null);
  if (atOnce.length > 0) throw refused(atOnce);
  const { whoAmI } = await import('../../../config/settings.js');
  const session = await openSession(output, shared, 'change');
  try {
    const connection = session.connection();
    const before = await readPublication(session, id);
    const problems = patchProblems(patch, { publication: before, platform: platformOf(session, connection, before) });
    if (problems.length > 0) throw refused(problems);
    const after = await connection.client.updatePublication(before.id, patch);
    const owner = (await session.ledger.ownersOf(connection.name, [before.id])).get(before.id);
    if (owner !== undefined) {
      const { rowId } = owner;
      await session.ledger.noteEdited({ rowId, publicationId: before.id, status: after.status, by: await whoAmI() });
    }
    const view = viewOf(connection.name, after, owner);
    if (!output.isText) await output.json({ version: 1, publication: view, changed: Object.keys(patch) });
    else {
      await output.lines(
        Object.entries(patch).map(
          ([field, value]) => `${field}\t${safeText(shownBefore(before, field))} → ${safeText(value)}`,
        ),
      );
    }
    if (owner !== undefined)
      output.note(
        `It belongs to key ${safeText(owner.key)} in campaign ${owner.campaign}: the manifest is unchanged, and a later change there overrides this one.`,
      );
  } finally {
    await session.close();
  }
  return EXIT.ok;
}

function patchOf({ title, description, privacy, status }: EditFlags): Record<string, string> {
  const given = Object.entries({ title: title?.trim(), description, privacy, status });
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function platformOf({ settings }: ServiceSession, { name }: AccountConnection, { platform }: Publication) {
  const platforms = settings.accounts.find((account) => account.name === name)?.platforms ?? settings.platforms;
  return platforms.find((one) => one.name === platform);
}

function shownBefore(before: Publication, field: string): string {
  const value = {
    title: before.title,
    description: before.description,
    privacy: before.privacy,
    status: before.status,
  }[field as 'title'];
  return value ?? '(not shown)';
}

function refused(problems: readonly { code: string; message: string; hint: string }[]): ExitError {
  const [first] = problems;
  return new ExitError(
    first?.code ?? 'edit-refused',
    problems.map(({ message }) => message).join('; '),
    EXIT.usage,
    problems.map(({ hint }) => hint).join(' '),
  );
}
