import { type Ledger } from '../../ledger/ledger';
import { type AccountConnection } from '../deps';
import { ListReads } from '../follow/list-reads';
import { withDetails } from './details';
import { idsThat } from './evidence';
import { lookAtList } from './look';

export interface LedgerReconciliation {
  /** Publications of the account that no row owns. */
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
export async function reconcileLedger(
  deps: { ledger: Ledger; connection: AccountConnection; now: () => number; onPage?: (() => void) | undefined },
  by: string,
): Promise<LedgerReconciliation> {
  const { ledger, connection, now } = deps;
  const account = connection.name;
  const { unowned, full } = await lookAtList(
    { ledger, client: connection.client, now, onPage: deps.onPage },
    { account, baseline: [], since: 0, reading: new ListReads().begin(account, now()) },
  );
  const shown = await withDetails(connection.client, unowned, { limit: MAX_DETAILS });
  const rows = await ledger.suspects(account);
  const fits = rows.map((row) => ({
    row,
    match: idsThat('match', row.values, ANY_TIME, shown),
    possible: idsThat('possible', row.values, ANY_TIME, shown),
  }));
  const wanted = new Map<string, number>();
  for (const { match } of fits) for (const id of match) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  const report: LedgerReconciliation = { unowned: unowned.length, adopted: 0, unconfirmed: 0, full };
  for (const { row, match, possible } of fits) {
    const [only] = match;
    if (only !== undefined && match.length === 1 && wanted.get(only) === 1) {
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

/** What no row owns by now, as the ledger keeps it for rows that are imported later. */
export async function straysOf(deps: { ledger: Ledger; connection: AccountConnection; now: () => number }): Promise<
  {
    account: string;
    publication_id: string;
    platform: string | null;
    profile_id: string | null;
    title: string | null;
  }[]
> {
  const { ledger, connection, now } = deps;
  const account = connection.name;
  const { unowned } = await lookAtList(
    { ledger, client: connection.client, now },
    { account, baseline: [], since: 0, reading: new ListReads().begin(account, now()) },
  );
  return (await withDetails(connection.client, unowned, { limit: MAX_DETAILS })).map((one) => ({
    account,
    publication_id: one.id,
    platform: one.platform,
    profile_id: one.profileId ?? null,
    title: one.title ?? null,
  }));
}
