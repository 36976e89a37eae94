import { type Ledger } from '../../ledger/ledger';
import { type Stray } from '../../ledger/maintenance/rolled-back';
import { type AccountConnection } from '../deps';
import { ListReads } from '../follow/list-reads';
import { withDetails } from './details';
import { directRivals } from './direct-rivals';
import { idsThat } from './evidence';
import { lookAtList } from './look';

interface ListDeps {
  ledger: Ledger;
  connection: AccountConnection;
  now: () => number;
  onPage?: (() => void) | undefined;
}

export interface LedgerReconciliation {
  /** Publications of the account that no row owns, and that are no known direct publish. */
  unowned: number;
  /** Rows that certainly are one of them. */
  adopted: number;
  /** Rows that may be one of them: a person says which. */
  unconfirmed: number;
  /** False when the list changed while it was read: a second run is worth it. */
  full: boolean;
}

/** Details fetched one by one, where the list shows no title. */
const MAX_DETAILS = 500;
const MAX_CANDIDATES = 50;
/** Any time: what was made before the ledger's own copy may be meant as well. */
const ANY_TIME = 0;

/**
 * After the ledger went back in time: reads the account's whole list (section 4.4) and compares it with the rows that the
 * ledger takes for unsent. A row with one publication of its title, which fits no other row, is that publication; one that
 * may be any of several, or of publications that show too little, is left to a person.
 * @throws ServiceError when the list can't be read
 */
export async function reconcileLedger(deps: ListDeps, by: string): Promise<LedgerReconciliation> {
  const { ledger, connection, now } = deps;
  const { shown, full, rivalsFor } = await readUnowned({ ledger, connection, now, onPage: deps.onPage });
  const rows = await ledger.suspects(connection.name);
  const fits = rows.map((row) => ({
    row,
    match: idsThat('match', row.values, ANY_TIME, shown),
    possible: idsThat('possible', row.values, ANY_TIME, shown),
  }));
  const wanted = new Map<string, number>();
  for (const { match } of fits) for (const id of match) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  const report: LedgerReconciliation = { unowned: shown.length, adopted: 0, unconfirmed: 0, full };
  for (const { row, match, possible } of fits) {
    const [only] = match;
    if (only !== undefined && match.length === 1 && wanted.get(only) === 1 && rivalsFor(match) === 0) {
      const status = shown.find((one) => one.id === only)?.status ?? 'unknown';
      const verdict = { kind: 'adopt', publicationId: only, status } as const;
      await ledger.markSuspect({ rowId: row.rowId, by, verdict });
      report.adopted += 1;
    } else if (match.length + possible.length > 0) {
      const candidates = [...match, ...possible].slice(0, MAX_CANDIDATES);
      await ledger.markSuspect({ rowId: row.rowId, by, verdict: { kind: 'ask', candidates } });
      report.unconfirmed += 1;
    }
  }
  return report;
}

/**
 * The account's publications that no row has, with what is shown of them. Those that the service lists under the id of a
 * direct publish, acknowledged by it or named by a person, are known: they are nobody else's.
 */
async function readUnowned({ ledger, connection, now, onPage }: ListDeps) {
  const account = connection.name;
  const { unowned, full } = await lookAtList(
    { ledger, client: connection.client, now, onPage },
    { account, baseline: [], since: 0, reading: new ListReads().begin(account, now()) },
  );
  const direct = unowned.length === 0 ? [] : await ledger.directPublishes(account, new Date(ANY_TIME).toISOString());
  const { others } = directRivals(direct, unowned);
  const shown = await withDetails(connection.client, others, { limit: MAX_DETAILS });
  // What a direct publish may be under another id is weighed with the details.
  const listed = unowned.filter((one) => !others.includes(one));
  return { shown, full, rivalsFor: directRivals(direct, [...listed, ...shown]).rivalsFor };
}

/** What no row has by now, as the ledger keeps it for rows that are imported later. */
export async function straysOf(deps: Omit<ListDeps, 'onPage'>): Promise<Stray[]> {
  const { shown } = await readUnowned(deps);
  return shown.map((one) => ({
    account: deps.connection.name,
    publication_id: one.id,
    platform: one.platform,
    profile_id: one.profileId ?? null,
    title: one.title ?? null,
  }));
}
