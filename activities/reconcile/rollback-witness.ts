import { type MaintainingLedger } from '../../ledger/interfaces/maintaining';
import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type SendingLedger } from '../../ledger/interfaces/sending';
import { type NeverClaimedRow, type UnownedPublication } from '../../ledger/maintenance/rolled-back';
import { AccessError, ServiceError } from '../../service/errors';
import { type Publication } from '../../service/api/publication';
import { compareTitles } from '../compare/title-likeness';
import { type AccountConnection } from '../../service/accounts';
import { type Log } from '../deps';
import { withDetails } from './details';
import { compareUnowned } from './unowned-candidates';

/** Maximum number of pages read until one has a publication that the ledger knows; 100 publications each. */
const MAX_PAGES = 5;
const PAGE = 100;
/** The service's clock and this one may differ. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Whether an account was compared before this process sends the first of its rows: `checked`, or why its list can't be
 * read now.
 */
export type WitnessResult = 'checked' | 'unreadable';

/**
 * Uses the service's list as evidence of a rollback. Once for each account and process, before anything is sent, it
 * looks for publications that the ledger doesn't know, newer than its newest, whose titles are those of rows which it
 * has as never sent. If there are any, a copy of the ledger was restored, by whatever means, and the account is paused
 * with the reason `ledger-rolled-back` until `ledger reconcile`.
 */
export class RollbackWitness {
  private readonly checks = new Map<string, Promise<WitnessResult>>();

  constructor(
    private readonly deps: {
      ledger: MaintainingLedger & ReconcilingLedger & SendingLedger;
      log: Pick<Log, 'error' | 'warn'>;
    },
  ) {}

  check(connection: AccountConnection): Promise<WitnessResult> {
    const known = this.checks.get(connection.name);
    if (known) return known;
    const made = this.#compare(connection).catch((error: unknown) => {
      this.checks.delete(connection.name);
      throw error;
    });
    this.checks.set(connection.name, made);
    void made.then(
      (result) => {
        if (result === 'unreadable') this.checks.delete(connection.name);
      },
      () => undefined,
    );
    return made;
  }

  /** Compares a row that is to be sent with the publications that no row owned when the ledger was reconciled. */
  compareRow(rowId: number): ReturnType<typeof compareUnowned> {
    return compareUnowned(this.deps.ledger, rowId);
  }

  async #compare(connection: AccountConnection): Promise<WitnessResult> {
    const { ledger, log } = this.deps;
    const account = connection.name;
    try {
      const found = await sentUnknown(ledger, connection);
      if (found.length === 0) return 'checked';
      const what = `${found.length} newer publications at the service may belong to rows that this ledger has as unsent (${found[0]?.id ?? ''}, …)`;
      await ledger.pauseRolledBack(account, { what, found: found.map((one) => toUnowned(account, one)) });
      log.error('ledger-rolled-back: more was sent from this ledger than it has recorded; nothing more is sent', {
        account,
        what,
      });
      return 'checked';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // A refused key parks the account with the create itself.
      if (error instanceof AccessError) return 'checked';
      log.warn('the account’s list can’t be read, so nothing is sent yet', { account, error: error.message });
      return 'unreadable';
    }
  }
}

/**
 * Publications that were sent from a later state of this ledger, as far as the service shows: their title is that of a
 * row which was never claimed; or they show no title, and have the platform and profile of such a row in a run that has
 * begun. Excluded are those that lost creates known to the ledger may have made, and those recorded before.
 */
async function sentUnknown(
  ledger: MaintainingLedger & ReconcilingLedger,
  connection: AccountConnection,
): Promise<Publication[]> {
  const { name: account, client } = connection;
  const { lastClaimAt, seen } = await ledger.rollbackFacts(account);
  // A ledger that never sent anything has nothing to compare.
  if (lastClaimAt === null) return [];
  const newer = await newerUnowned(ledger, connection, lastClaimAt);
  const unknown = newer.filter(({ id }) => !seen.has(id));
  if (unknown.length === 0) return [];
  const shown = await withDetails(client, unknown, { limit: PAGE });
  const left = new Map(shown.map((one) => [one.id, one]));
  const matching: Publication[] = [];
  for await (const row of ledger.neverClaimed(account)) {
    for (const one of left.values()) {
      if (!mayBe(row, one)) continue;
      matching.push(one);
      left.delete(one.id);
    }
    if (left.size === 0) break;
  }
  // Read last: a create that was open when the list was read is either owned by now or still among them.
  const lost = (await ledger.lostAttempts(account, lastClaimAt)).length;
  const owned = await ledger.owned(
    account,
    matching.map(({ id }) => id),
  );
  const found = matching.filter(({ id }) => !owned.has(id));
  return found.length > lost ? found : [];
}

function mayBe(row: NeverClaimedRow, one: Publication): boolean {
  if (!agrees(one.platform, row.platform) || !agrees(one.profileId, row.profileId)) return false;
  if (one.title === undefined) return row.runBegun;
  return ['exact', 'same', 'cut'].includes(compareTitles(row.title, one.title));
}

function toUnowned(account: string, one: Publication): UnownedPublication {
  return {
    account,
    publication_id: one.id,
    platform: one.platform,
    profile_id: one.profileId ?? null,
    title: one.title ?? null,
  };
}

/** From the list's newest page on, until one shows a publication that the ledger knows. */
async function newerUnowned(
  ledger: MaintainingLedger & ReconcilingLedger,
  connection: AccountConnection,
  lastClaimAt: number,
): Promise<Publication[]> {
  const newer: Publication[] = [];
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { publications } = await connection.client.listPublications({ limit: PAGE, offset: pages * PAGE });
    const owned = await ledger.owned(
      connection.name,
      publications.map(({ id }) => id),
    );
    const first = publications.findIndex(({ id }) => owned.has(id));
    for (const [at, one] of publications.entries()) {
      const createdAt = Date.parse(one.createdAt ?? '');
      const isNewer = Number.isNaN(createdAt) ? first === -1 || at < first : createdAt > lastClaimAt - CLOCK_SLACK_MS;
      if (!owned.has(one.id) && isNewer) newer.push(one);
    }
    if (first !== -1 || publications.length < PAGE) break;
  }
  return newer;
}

/** Only values that the service shows and the row requested can contradict each other. */
function agrees(shown: string | null | undefined, asked: string | null): boolean {
  return shown === null || shown === undefined || asked === null || shown === asked;
}
