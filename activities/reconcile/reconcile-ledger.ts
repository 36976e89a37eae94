import { type MaintainingLedger } from '../../ledger/interfaces/maintaining';
import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type UnownedPublication } from '../../ledger/maintenance/rolled-back';
import { type AccountConnection } from '../../service/accounts';
import { ListReads } from '../follow/list-reads';
import { AttemptClock, PROCESS_CLOCKS } from './attempt-clock';
import { withDetails } from './details';
import { directRivals } from './direct-rivals';
import { type KnownHabits } from './evidence';
import { weighAccount } from './weigh-account';
import { scanList } from './list-scan';

interface ListDeps {
  ledger: MaintainingLedger & ReconcilingLedger;
  connection: AccountConnection;
  now: () => number;
  onPage?: (() => void) | undefined;
}

export interface LedgerReconciliation {
  /** Publications of the account that no row owns, and that are no known direct publish. */
  unowned: number;
  /** Rows that certainly are one of them. */
  adopted: number;
  /** Rows that may be one of them: a person decides. */
  unconfirmed: number;
  /** False if the list changed while it was read: then a second run is worthwhile. */
  full: boolean;
}

/** Number of details fetched individually, if the list shows no title. */
const MAX_DETAILS = 500;
const MAX_CANDIDATES = 50;
/**
 * A lost ledger has learned nothing about the account, and everything listed is compared with everything planned:
 * titles are trusted here, and a person decides the rest.
 */
const ASSUMED: KnownHabits = {
  title: { exact: 1, changed: 1, far: 0 },
  platform: { same: 1, other: 0 },
  profile: { same: 1, other: 0 },
};
const ANY_TIME = 0;

/**
 * After the ledger was rolled back: reads the account's whole list (section 4.4) and compares it with the rows that the
 * ledger has as unsent. A row with one publication of its title, which fits no other row, gets that publication; a row
 * that could match several publications, or ones that show too little, is left to a person.
 * @throws ServiceError if the list can't be read
 */
export async function reconcileLedger(deps: ListDeps, by: string): Promise<LedgerReconciliation> {
  const { ledger, connection, now } = deps;
  const { shown, full, claimants } = await readUnowned({ ledger, connection, now, onPage: deps.onPage });
  const rows = await ledger.possiblySent(connection.name);
  const lost = rows.map(({ rowId, values }) => ({ id: String(rowId), values, knownBefore: new Set<string>() }));
  const evidence = weighAccount({ lost: [...lost, ...claimants], unowned: shown, habits: ASSUMED });
  const report: LedgerReconciliation = { unowned: shown.length, adopted: 0, unconfirmed: 0, full };
  for (const { rowId } of rows) {
    const assigned = evidence.assigned.get(String(rowId));
    const candidates = evidence.candidates.get(String(rowId)) ?? [];
    if (assigned !== undefined) {
      const status = shown.find((one) => one.id === assigned)?.status ?? 'unknown';
      await ledger.markPossiblySent({ rowId, by, verdict: { kind: 'adopt', publicationId: assigned, status } });
      report.adopted += 1;
    } else if (candidates.length > 0) {
      const ids = candidates.slice(0, MAX_CANDIDATES).map(({ id }) => id);
      await ledger.markPossiblySent({ rowId, by, verdict: { kind: 'ask', candidates: ids } });
      report.unconfirmed += 1;
    }
  }
  return report;
}

/**
 * The account's publications that no row has, with what is shown of them. Those that the service lists under the id of
 * a direct publish, acknowledged by it or named by a person, are known and don't belong to any other row.
 */
async function readUnowned({ ledger, connection, now, onPage }: ListDeps) {
  const account = connection.name;
  const { unowned, full } = await scanList(
    { ledger, client: connection.client, now, onPage },
    {
      account,
      knownBefore: new Set(),
      since: 0,
      habits: await ledger.listHabits(account),
      reading: new ListReads(new AttemptClock({ ...PROCESS_CLOCKS, wall: now })).begin(account),
    },
  );
  const direct = unowned.length === 0 ? [] : await ledger.directPublishes(account, ANY_TIME);
  const { others, claimants } = directRivals(direct, unowned);
  const shown = await withDetails(connection.client, others, { limit: MAX_DETAILS });
  return { shown, full, claimants };
}

/** The publications that still have no row, as the ledger stores them for rows that are imported later. */
export async function unownedOf(deps: Omit<ListDeps, 'onPage'>): Promise<UnownedPublication[]> {
  const { shown } = await readUnowned(deps);
  return shown.map((one) => ({
    account: deps.connection.name,
    publication_id: one.id,
    platform: one.platform,
    profile_id: one.profileId ?? null,
    title: one.title ?? null,
  }));
}
