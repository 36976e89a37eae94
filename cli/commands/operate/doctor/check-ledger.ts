import { mayExist, placeOf } from '../../../../ledger/model/location';
import { type LedgerInspection } from '../../../../ledger/maintenance/inspect';
import { type Settings } from '../../../config/settings';
import { showDuration } from '../../../../wording/times';
import { plural, safeText } from '../../../terminal/safe-text';
import { type ListHabits } from '../../../../ledger/publications/list-habits';
import { isDamage } from '../../../../ledger/model/damage';
import { RESTORE_LEDGER } from '../../../errors/explain-error';
import { EXIT } from '../../../errors/exit-codes';
import { ok, skipped, warning, wrong, type Finding } from './finding';

/** The ledger's file, read without changing it. `id`: null when there is none, or it can't be read. */
export async function checkLedger(settings: Settings): Promise<{ id: string | null; findings: Finding[] }> {
  const path = placeOf(settings.ledger);
  if (!mayExist(settings.ledger))
    return {
      id: null,
      findings: [
        ok('ledger', `${path} is not there yet; the first run makes it`),
        skipped('migrations', 'there is no ledger yet'),
      ],
    };
  let seen: LedgerInspection;
  try {
    const { inspectLedger } = await import('../../../../ledger/maintenance/inspect.js');
    seen = await inspectLedger(settings.ledger);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (isDamage(error))
      return {
        id: null,
        findings: [
          wrong('ledger', `${path} is damaged: ${why}`, RESTORE_LEDGER, EXIT.unreachable),
          skipped('migrations', 'the ledger can’t be read'),
        ],
      };
    const hint =
      'Check REELAY_HOME and REELAY_DATABASE_URL and their permissions; else put a copy back (`reelay ledger backup` made it).';
    return {
      id: null,
      findings: [
        wrong('ledger', `${path} can't be read: ${why}`, hint, EXIT.unreachable),
        skipped('migrations', 'the ledger can’t be read'),
      ],
    };
  }
  return { id: seen.id, findings: [await condition(seen, settings), migrations(seen), ...lists(seen)] };
}

async function condition(seen: LedgerInspection, settings: Settings): Promise<Finding> {
  const path = placeOf(settings.ledger);
  const { thisHost } = await import('../../../stack/engine.js');
  const here = await thisHost();
  if (seen.rolledBack)
    return wrong(
      'ledger',
      `${path} is older than it was: nothing is created from it`,
      'Put the newest copy back; or, with all workers stopped: `reelay ledger reconcile`.',
      EXIT.unreachable,
    );
  if (seen.host !== null && seen.host !== here.id && seen.boot !== here.boot)
    return wrong(
      'ledger',
      `${path} belongs to another machine`,
      'If it was moved here on purpose and nothing runs there any more: `reelay ledger status --new-host`.',
      EXIT.unreachable,
    );
  const bound = seen.accounts.find((account) => account.name === settings.account);
  const wanted = settings.sandbox ? null : await normalised(() => settings.baseUrl());
  if (bound && wanted !== null && (await normalised(() => bound.baseUrl)) !== wanted)
    return wrong(
      'ledger',
      `account ${bound.name} is bound to ${bound.baseUrl} in it, and the configuration says ${wanted}`,
      'If the service moved, repeat the next command with --confirm-base-url.',
    );
  if (seen.fileBehind)
    return warning(
      'ledger',
      `${seen.sequenceFile} is behind the ledger: it can't be written, or was deleted`,
      'Check its permissions and the free space: from it reelay notices that an older copy of the ledger was put back.',
    );
  return ok('ledger', `${path} (${seen.id}, ${plural(seen.openRuns, 'open run')})`);
}

/** Null for what is no address: said with the service. */
async function normalised(address: () => string): Promise<string | null> {
  const { parseBaseUrl } = await import('../../../../service/connection/base-url.js');
  try {
    return parseBaseUrl(address()).href;
  } catch {
    return null;
  }
}

/** How the accounts' lists treat what was sent: what lost answers are decided by. */
function lists(seen: LedgerInspection): Finding[] {
  return seen.accounts.flatMap(({ name, habits }) =>
    habits === null || habits.seen === 0 ? [] : [list(name, habits)],
  );
}

function list(name: string, { seen, slowestMs, title, order }: ListHabits): Finding {
  const titles =
    title.far > 0
      ? 'shows some titles differently'
      : title.changed > 0
        ? 'changes titles'
        : title.exact > 0
          ? 'shows titles as they were sent'
          : 'shows no titles';
  const facts = [
    `showed ${plural(seen, 'publication')} of ours`,
    slowestMs > 0 ? `up to ${showDuration(slowestMs)} late` : 'at once',
    order.broken > 0 ? 'not sorted by time, so it is always read to its end' : 'newest first',
    titles,
  ];
  const message = `account ${safeText(name)}: its list ${facts.join('; ')}`;
  return title.far === 0 && titles !== 'shows no titles'
    ? ok('list', message)
    : warning(
        'list',
        message,
        'Lost answers can rarely be settled automatically there: such rows end as `unconfirmed`. `exclusive: true` helps where nobody else publishes.',
      );
}

function migrations(seen: LedgerInspection): Finding {
  if (seen.unknown.length > 0)
    return wrong(
      'migrations',
      `a newer version of reelay made ${seen.unknown.join(', ')}`,
      'Use that version, or a newer one.',
      EXIT.unreachable,
    );
  if (seen.pending.length > 0)
    return warning(
      'migrations',
      `${seen.pending.join(', ')} not made yet; the next run makes ${seen.pending.length === 1 ? 'it' : 'them'}`,
      'An older version can’t use the ledger afterwards: `reelay ledger backup FILE` first, with that version.',
    );
  return ok('migrations', 'all made');
}
