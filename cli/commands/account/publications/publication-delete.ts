import { type OwnerRow } from '../../../../ledger/publications/ownership';
import { type RowState } from '../../../../ledger/model/states';
import { type CommandContext, type CommandFlags } from '../../../command';
import { ExitError, UsageError } from '../../../errors/errors';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';
import { demandId, isNotFound } from './publication-views';
import { plural, safeText } from '../../../terminal/safe-text';
import { openSession, type ServiceSession } from '../../../shared/service-session';

export interface DeleteFlags extends CommandFlags {
  run?: string;
  state?: string;
  force?: boolean;
  yes?: boolean;
}

interface Target {
  account: string;
  id: string;
  status: string | null;
  owner: OwnerRow | undefined;
}

/** States of rows that can have a publication of their own. */
const WITH_PUBLICATION: readonly RowState[] = ['processing', 'published', 'failed', 'overdue', 'drafted'];

/**
 * Deletes records of publications (section 4.8). The video on the platform stays, and so do the ledger's row and its
 * history.
 */
export async function deletePublications(
  { output, flags: shared }: CommandContext,
  ids: readonly string[],
  flags: DeleteFlags,
): Promise<ExitCode> {
  const states = statesOf(ids, flags);
  const session = await openSession(output, shared, 'change');
  try {
    const wanted = flags.run === undefined ? await byIds(session, ids) : await byRun(session, flags.run, states);
    const targets: Target[] = [];
    let gone = 0;
    const unknown: string[] = [];
    for (const target of wanted) {
      const status = await statusOf(session, target);
      if (status !== 'gone') targets.push({ ...target, status });
      else if (target.owner === undefined) unknown.push(target.id);
      else gone += 1;
    }
    // Neither the service nor the ledger has ever had them: a mistyped id, or another account's.
    if (unknown.length > 0) {
      throw new ExitError(
        'no-such-publication',
        `account ${session.connection().name} has no publication ${unknown.slice(0, 5).map(safeText).join(', ')}${unknown.length > 5 ? `, and ${String(unknown.length - 5)} more` : ''}; nothing was deleted`,
        EXIT.usage,
        'Check the ids and the account: `reelay publications list`.',
      );
    }
    if (gone > 0) output.note(`${plural(gone, 'record')} had been deleted already.`);
    const busy = targets.filter(({ status }) => status === 'processing');
    if (busy.length > 0 && flags.force !== true) {
      throw new ExitError(
        'still-processing',
        `${plural(busy.length, 'publication')} still processing: ${busy
          .slice(0, 5)
          .map(({ id }) => safeText(id))
          .join(', ')}`,
        EXIT.usage,
        'Their outcome could never be read afterwards. Wait until they end, or add --force.',
      );
    }
    const deleted = targets.length === 0 ? [] : await deleteAll(session, targets);
    if (output.isText)
      await output.table(deleted, [
        { title: 'ID', value: (row) => row.id, whole: true },
        { title: 'STATUS', value: (row) => row.status },
        { title: 'CAMPAIGN', value: (row) => row.campaign },
        { title: 'KEY', value: (row) => row.key },
      ]);
    else await output.json({ version: 1, deleted, already_gone: gone });
    if (deleted.length > 0)
      output.note(
        `${plural(deleted.length, 'record')} deleted at the service. Videos on the platforms stay; the ledger keeps its rows.`,
      );
  } finally {
    await session.close();
  }
  return EXIT.ok;

  async function deleteAll({ ledger, accounts }: ServiceSession, targets: readonly Target[]) {
    const [{ confirm }, { whoAmI }] = await Promise.all([
      import('../../../terminal/ask.js'),
      import('../../../config/settings.js'),
    ]);
    const out = targets.filter(({ status }) => status === 'published').length;
    await confirm({
      output,
      yes: flags.yes ?? false,
      question: `Delete ${plural(targets.length, 'record')} at the service (${out === 0 ? 'none' : String(out)} published; videos stay)?`,
    });
    const by = await whoAmI();
    const done: {
      id: string;
      status: string | null;
      campaign: string | null;
      key: string | null;
      message: string | null;
    }[] = [];
    for (const { account, id, status, owner } of targets) {
      const message = await accounts
        .get(account)
        .client.deletePublication(id)
        .then(
          (answer) => answer.message,
          (error: unknown) => {
            if (isNotFound(error)) return null;
            throw error;
          },
        );
      if (owner !== undefined) await ledger.noteDeleted({ rowId: owner.rowId, publicationId: id, by });
      done.push({ id, status, campaign: owner?.campaign ?? null, key: owner?.key ?? null, message });
    }
    return done;
  }
}

function statesOf(ids: readonly string[], { run, state }: DeleteFlags): readonly RowState[] {
  if (run === undefined) {
    if (state !== undefined) throw new UsageError('--state needs --run', 'For example --run spring --state failed.');
    if (ids.length === 0) throw new UsageError('no publication was given', 'Give ids, or --run RUN --state failed.');
    return [];
  }
  if (ids.length > 0) throw new UsageError('give ids or --run, not both');
  if (state === undefined)
    throw new UsageError(
      '--run needs --state',
      `For example --state failed. One or several of: ${WITH_PUBLICATION.join(', ')}.`,
    );
  return state.split(',').map((word) => {
    const found = WITH_PUBLICATION.find((one) => one === word.trim());
    if (found === undefined)
      throw new UsageError(
        `--state: “${word.trim()}” is not a state with a publication`,
        `One or several of: ${WITH_PUBLICATION.join(', ')}.`,
      );
    return found;
  });
}

async function byIds(session: ServiceSession, ids: readonly string[]): Promise<Omit<Target, 'status'>[]> {
  const { name } = session.connection();
  const unique = [...new Set(ids)];
  unique.forEach(demandId);
  const owners = await session.ledger.ownersOf(name, unique);
  return unique.map((id) => ({ account: name, id, owner: owners.get(id) }));
}

async function byRun(
  session: ServiceSession,
  name: string,
  states: readonly RowState[],
): Promise<Omit<Target, 'status'>[]> {
  const { findRun } = await import('../../../shared/resolve-run.js');
  const run = await findRun(session.settings, session.ledger, name);
  const rows = await session.ledger.publicationsIn(run.campaign, states);
  return rows.map((owner) => ({ account: owner.account, id: owner.publicationId, owner }));
}

async function statusOf(session: ServiceSession, target: Omit<Target, 'status'>): Promise<string | null> {
  try {
    return (await session.accounts.get(target.account).client.getPublication(target.id)).status;
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}
