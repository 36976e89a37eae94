import { type ExpressionBuilder, sql } from 'kysely';
import { type Db, prepared, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { BASELINE_MARGIN_MS } from '../model/baseline-margin';
import { type LostAttempt } from '../model/attempt-types';
import { type RowValues } from '../model/types';
import { UNSETTLED } from './settle';
import { NOT_MOVED, unprovenRefusal } from './unproven-refusals';

/**
 * Its answer was lost. A literal rather than a parameter: the condition is part of an index, and with a parameter
 * SQLite would compile the query again for every value.
 */
export const IS_UNKNOWN = sql<boolean>`attempts.outcome = 'unknown'`;

/**
 * Every create of an account, across all runs and campaigns, whose publication could be any that no row owns: open
 * creates; those whose answer was lost, even if their row was left to a person or given up; and refused creates that
 * were not looked for since. Creates that were over a day before `since` (ms since the epoch) are left out.
 */
export async function lostAttempts(store: Store, account: string, since: number): Promise<LostAttempt[]> {
  const { db } = store;
  const from = since - BASELINE_MARGIN_MS;
  const found = [
    ...(await open(db, { account })),
    ...(await lost(db, { account, from })),
    ...(await refused(db, { account, from })),
  ];
  const before = await baselinesBefore(db, account, [...new Set(found.flatMap(({ campaign }) => campaign ?? []))]);
  return found.map(({ row_id, number, values, campaign, run }) => ({
    rowId: row_id,
    attempt: number,
    values: JSON.parse(values) as RowValues,
    knownBefore: before(campaign, run),
  }));
}

/**
 * Whether a create that was claimed before this publication was recorded for a row is still open, or its lost answer
 * isn't settled.
 */
export async function hasUnsettledBefore(store: Store, account: string, publicationId: string): Promise<boolean> {
  const { db } = store;
  const before = () =>
    db
      .selectFrom('attempts')
      .innerJoin('publications', 'publications.account', 'attempts.account')
      .select('attempts.number')
      .where('attempts.account', '=', account)
      .where('publications.publication_id', '=', publicationId)
      .whereRef('attempts.sequence', '<', 'publications.noted_sequence')
      .limit(1);
  const open = await before().where('attempts.ended_at', 'is', null).executeTakeFirst();
  const lost = () => before().where(UNSETTLED).where('attempts.settled_at', 'is', null).executeTakeFirst();
  return open !== undefined || (await lost()) !== undefined;
}

/** Attempts with the values that were sent for them. */
function sent(db: Db, account: string) {
  return db
    .selectFrom('attempts')
    .innerJoin('rows', 'rows.id', 'attempts.row_id')
    .innerJoin('entries', (join) =>
      join
        .on('entries.snapshot_id', '=', sql<number>`coalesce(attempts.entry_snapshot, rows.entry_snapshot)`)
        .on('entries.position', '=', sql<number>`coalesce(attempts.entry_position, rows.entry_position)`),
    )
    .leftJoin('runs', 'runs.id', 'attempts.run_id')
    .select(['attempts.row_id', 'attempts.number', 'entries.values', 'runs.campaign', 'runs.number as run'])
    .where('attempts.account', '=', account);
}

type SentAttempt = Awaited<ReturnType<ReturnType<typeof sent>['execute']>>[number];

const open = prepared<{ account: string }, SentAttempt>((db, p) =>
  sent(db, p.account).where('attempts.ended_at', 'is', null),
);

const lost = prepared<{ account: string; from: number }, SentAttempt>((db, p) =>
  sent(db, p.account).where(UNSETTLED).where('attempts.ended_at', '>=', p.from),
);

/** Refused and not looked for since, by its own row or another, or given up. */
const refused = prepared<{ account: string; from: number }, SentAttempt>((db, p) =>
  sent(db, p.account)
    .where(sql<boolean>`(outcome in ('auth-refused', 'rejected') or settled_as = 'give-up')`)
    .where('attempts.ended_at', '>=', p.from)
    .where((eb) => eb.or([sql<boolean>`settled_as = 'give-up'`, unprovenRefusal()]))
    .where(NOT_MOVED),
);

/** For a run: the newest baseline of its campaign that was taken for it or for an earlier run. */
async function baselinesBefore(
  db: Db,
  account: string,
  campaigns: readonly string[],
): Promise<(campaign: string | null, run: number | null) => readonly string[] | null> {
  const found =
    campaigns.length === 0
      ? []
      : await db
          .selectFrom('baselines')
          .innerJoin('runs', 'runs.id', 'baselines.run_id')
          .select(['runs.campaign', 'runs.number', 'baselines.ids'])
          .where('baselines.account', '=', account)
          .where('runs.campaign', 'in', campaigns)
          .orderBy('runs.number', 'desc')
          .execute();
  return (campaign, run) => {
    const baseline = found.find((one) => one.campaign === campaign && run !== null && one.number <= run);
    return baseline === undefined ? [] : (JSON.parse(baseline.ids) as string[] | null);
  };
}

/** For a row that is being created: its attempt, if its answer was lost and nothing has been decided about it. */
export function lostAttempt(eb: ExpressionBuilder<Tables, 'rows'>) {
  return eb
    .selectFrom('attempts')
    .select('attempts.number')
    .whereRef('attempts.row_id', '=', 'rows.id')
    .whereRef('attempts.number', '=', 'rows.attempts')
    .where(IS_UNKNOWN)
    .where('attempts.settled_at', 'is', null);
}
