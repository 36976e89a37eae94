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

/** The ledger, read without changing it. `id`: null if there is none, or it can't be read. */
export async function checkLedger(settings: Settings): Promise<{ id: string | null; findings: Finding[] }> {
  const path = placeOf(settings.ledger);
  if (!mayExist(settings.ledger)) return notThere(path);
  let seen: LedgerInspection | null;
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
      'Check REELAY_HOME and REELAY_DATABASE_URL and their permissions; otherwise restore a backup (made by `reelay ledger backup`).';
    return {
      id: null,
      findings: [
        wrong('ledger', `${path} can't be read: ${why}`, hint, EXIT.unreachable),
        skipped('migrations', 'the ledger can’t be read'),
      ],
    };
  }
  if (seen === null) return notThere(path);
  return { id: seen.id, findings: [await condition(seen, settings), migrations(seen), ...lists(seen)] };
}

function notThere(place: string): { id: null; findings: Finding[] } {
  return {
    id: null,
    findings: [
      ok('ledger', `${place} doesn’t exist yet; the first run creates it`),
      skipped('migrations', 'there is no ledger yet'),
    ],
  };
}

async function condition(seen: LedgerInspection, settings: Settings): Promise<Finding> {
  const path = placeOf(settings.ledger);
  const { thisHost } = await import('../../../stack/engine.js');
  const here = await thisHost();
  if (seen.rolledBack)
    return wrong(
      'ledger',
      `${path} was rolled back to an older copy: nothing is sent from it`,
      'Restore the newest copy; or, with all workers stopped: `reelay ledger reconcile`.',
      EXIT.unreachable,
    );
  if (seen.host !== null && seen.host !== here.id && seen.boot !== here.boot)
    return wrong(
      'ledger',
      `${path} belongs to another machine`,
      'If it was moved here on purpose and nothing uses it there any more: `reelay ledger status --new-host`.',
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
      'Check its permissions and the free space: reelay uses it to detect that an older copy of the ledger was restored.',
    );
  return ok('ledger', `${path} (id ${seen.id}, ${plural(seen.openRuns, 'open run')})`);
}

/** Null for something that isn't an address: reported with the service. */
async function normalised(address: () => string): Promise<string | null> {
  const { parseBaseUrl } = await import('../../../../service/connection/base-url.js');
  try {
    return parseBaseUrl(address()).href;
  } catch {
    return null;
  }
}

/** How the accounts' lists treat what was sent, which is the basis for settling lost answers. */
function lists(seen: LedgerInspection): Finding[] {
  return seen.accounts.flatMap(({ name, habits }) =>
    habits === null || habits.seen === 0 ? [] : [list(name, habits)],
  );
}

function list(name: string, { seen, slowestMs, title, order }: ListHabits): Finding {
  const titles =
    title.far > 0
      ? 'with some titles far from what was sent'
      : title.changed > 0
        ? 'with changed titles'
        : title.exact > 0
          ? 'with titles as they were sent'
          : 'without titles';
  const facts = [
    slowestMs > 0 ? `up to ${showDuration(slowestMs)} late` : 'at once',
    order.broken > 0 ? 'not sorted by time (so it is always read to its end)' : 'newest first',
    titles,
  ];
  const message = `account ${safeText(name)}: the service lists new publications ${facts.join(', ')} (seen with ${plural(seen, 'publication')})`;
  return title.far === 0 && titles !== 'without titles'
    ? ok('list', message)
    : warning(
        'list',
        message,
        'Lost answers can rarely be settled automatically there: such rows end as `unconfirmed`. `exclusive: true` helps if only reelay publishes there.',
      );
}

function migrations(seen: LedgerInspection): Finding {
  if (seen.unknown.length > 0)
    return wrong(
      'migrations',
      `a newer version of reelay has changed the ledger’s format (${seen.unknown.join(', ')})`,
      'Use that version, or a newer one.',
      EXIT.unreachable,
    );
  if (seen.pending.length > 0)
    return warning(
      'migrations',
      `the next run migrates the ledger to this version’s format (${seen.pending.join(', ')})`,
      'An older version can’t use the ledger afterwards: `reelay ledger backup FILE` first, with that version.',
    );
  return ok('migrations', 'the ledger has this version’s format');
}
