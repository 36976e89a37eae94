import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type UnsettledAttempt } from '../../ledger/model/attempt-types';
import { type RunInfo, type RunRef } from '../../ledger/model/types';
import { type ListHabits } from '../../ledger/publications/list-habits';
import { BASELINE_IDS } from '../../ledger/runs/baselines';
import { type AccountConnection } from '../../service/accounts';
import { type Publication } from '../../service/api/publication';
import { ServiceError } from '../../service/errors';
import { type ActivityDeps } from '../deps';
import { type ListReads } from '../follow/list-reads';
import { keyOf } from './attempt-key';
import { type AccountEvidence, type AnsweredCreate, type LostCreate, weighAccount } from './weigh-account';
import { withDetails } from './details';
import { directRivals } from './direct-rivals';
import { type Between, type ScannedList, scanList } from './list-scan';

/** Number of details fetched individually per scan, if the list shows no title. */
const MAX_DETAILS = 20;

export interface ScanOptions {
  signal?: AbortSignal | undefined;
  onPage?: (() => void) | undefined;
}

/** What an account's list shows about its lost creates. */
export interface WeighedAccount {
  evidence: AccountEvidence;
  shown: readonly Publication[];
  between: ReadonlyMap<string, Between>;
}

/** Of a list that can't be read. */
export const NOTHING_SEEN: WeighedAccount = {
  evidence: { assigned: new Map(), candidates: new Map(), claimants: new Map(), disputed: new Map() },
  shown: [],
  between: new Map(),
};

/** One scan of the account's list for these attempts; null when it can't be read now. */
export async function scanAccount(
  { ledger, now }: Pick<ActivityDeps, 'ledger' | 'now'>,
  input: {
    connection: AccountConnection;
    attempts: readonly UnsettledAttempt[];
    habits: ListHabits;
    reads: ListReads;
    /** Called with the reason if it can't be read. */
    notes: string[];
  },
  options: ScanOptions,
): Promise<ScannedList | null> {
  const { connection, attempts, habits, reads, notes } = input;
  const account = connection.name;
  const since = Math.min(...attempts.map((attempt) => attempt.sequence));
  const mine = new Set(attempts.map(keyOf));
  const claimed = (await ledger.lostAttempts(account, 0)).filter((one) => mine.has(keyOf(one)));
  try {
    const scanned = await scanList(
      { ledger, client: connection.client, now, onPage: options.onPage },
      {
        account,
        knownBefore: idsInAll(claimed.map((one) => one.knownBefore ?? [])),
        since,
        habits,
        reading: reads.begin(account),
        signal: options.signal,
      },
    );
    const details = { limit: MAX_DETAILS, signal: options.signal };
    return { ...scanned, unowned: await withDetails(connection.client, scanned.unowned, details) };
  } catch (error) {
    if (!(error instanceof ServiceError) || options.signal?.aborted === true) throw error;
    notes.push(`account ${account}: its list can’t be read (${error.message})`);
    return null;
  }
}

/**
 * The facts from the scanned publications. The account's lost creates are read first and the owners after them: an
 * answer that arrives in between is then both a claimant and an owner, and never neither.
 */
export async function weighScan(
  ledger: ReconcilingLedger,
  input: { run: RunRef; info: RunInfo; account: string; scanned: ScannedList; group: readonly UnsettledAttempt[] },
): Promise<WeighedAccount> {
  const { run, info, account, scanned, group } = input;
  const baseline = await ledger.baseline(run, account);
  const since = Math.min(
    Date.parse(baseline?.takenAt ?? info.startedAt),
    ...group.map((attempt) => Date.parse(attempt.claimedAt)),
  );
  const attempts = await ledger.lostAttempts(account, since);
  const owned = await ledger.owned(
    account,
    scanned.unowned.map(({ id }) => id),
  );
  const free = scanned.unowned.filter(({ id }) => !owned.has(id));
  const direct = free.length === 0 ? [] : await ledger.directPublishes(account, since);
  const { others, claimants } = directRivals(direct, free);
  const lost = attempts
    .filter(({ values }) => values.via !== 'direct')
    .map((one): LostCreate => ({
      id: keyOf(one),
      values: one.values,
      knownBefore: one.knownBefore === null ? null : new Set(one.knownBefore),
      // A shorter one was the whole list.
      ...((one.knownBefore?.length ?? 0) < BASELINE_IDS ? {} : { mayBeOlder: scanned.belowKnown }),
    }));
  const habits = await ledger.listHabits(account);
  const answered = await answeredCreates(ledger, account, scanned, group);
  const evidence = weighAccount({ lost: [...lost, ...claimants], unowned: others, answered, habits });
  return { evidence, shown: [...others, ...scanned.answered], between: scanned.between };
}

/** The publications that rows were answered with since the lost creates were claimed, with what the list shows of them. */
async function answeredCreates(
  ledger: ReconcilingLedger,
  account: string,
  scanned: ScannedList,
  group: readonly UnsettledAttempt[],
): Promise<AnsweredCreate[]> {
  const shown = new Map(scanned.answered.map((one) => [one.id, one]));
  const answered = await ledger.answeredWith(account, [...shown.keys()]);
  const found: AnsweredCreate[] = [];
  for (const { publicationId, values, claimedAt, ended, ...row } of answered) {
    const publication = shown.get(publicationId);
    if (publication === undefined) continue;
    const before = group.some(({ scans }) =>
      scans.some(({ at, candidates }) => Date.parse(at) < claimedAt && candidates.includes(publicationId)),
    );
    const knownBefore = new Set(before ? [publicationId] : []);
    found.push({ publication, create: { id: keyOf(row), values, knownBefore }, rowId: row.rowId, ended });
  }
  return found;
}

/** Ids that occur in every one of these lists. */
function idsInAll(lists: readonly (readonly string[])[]): Set<string> {
  const [first = [], ...others] = lists;
  const sets = others.map((ids) => new Set(ids));
  return new Set(first.filter((id) => sets.every((ids) => ids.has(id))));
}
