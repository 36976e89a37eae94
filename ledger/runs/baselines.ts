import { sql } from 'kysely';
import { readRun, runIdOf } from './read-run';
import { type Db, preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type RunRef } from '../model/types';

/** Number of the account's newest ids that are stored before a run: enough that some survive deletions. */
export const BASELINE_IDS = 100;

export interface Baseline {
  account: string;
  takenAt: string;
  /** The account's newest publications at that time; null: the list couldn't be read, so any publication may be older. */
  ids: readonly string[] | null;
}

/** The first one is kept: a later one would contain what this run creates. */
export async function saveBaseline(store: Store, run: RunRef, baseline: Baseline): Promise<void> {
  const { account, takenAt, ids } = baseline;
  await store.write(async (tx) => {
    const { id } = await readRun(tx, run);
    await tx
      .insertInto('baselines')
      .values({ run_id: id, account, taken_at: takenAt, ids: JSON.stringify(ids) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** The earliest run that made an unsettled attempt of the run's rows. */
const earliestUnsettled = preparedFirst<{ runId: number; account: string }, { number: number | null }>((db, p) =>
  db
    .selectFrom('attempts')
    .innerJoin('rows', 'rows.id', 'attempts.row_id')
    .innerJoin('runs', 'runs.id', 'attempts.run_id')
    .select((eb) => eb.fn.min<number | null>('runs.number').as('number'))
    .where('rows.run_id', '=', p.runId)
    .where('rows.state', '=', 'creating')
    // It may be looked for in place of a row of another campaign.
    .whereRef('runs.campaign', '=', 'rows.campaign')
    .where('attempts.account', '=', p.account)
    .where((eb) => eb.or([eb('attempts.ended_at', 'is', null), eb('attempts.settled_at', 'is', null)]))
    .where((eb) => eb.or([eb('attempts.outcome', 'is', null), sql<boolean>`attempts.outcome = 'unknown'`])),
);

type Taken = Pick<Tables['baselines'], 'taken_at' | 'ids'>;

function baselinesOf(db: Db, campaign: string, account: string) {
  return db
    .selectFrom('baselines')
    .innerJoin('runs', 'runs.id', 'baselines.run_id')
    .select(['baselines.taken_at', 'baselines.ids'])
    .where('runs.campaign', '=', campaign)
    .where('baselines.account', '=', account)
    .orderBy('runs.number', 'desc')
    .limit(1);
}

const ownBaseline = preparedFirst<RunRef & { account: string }, Taken>((db, p) =>
  baselinesOf(db, p.campaign, p.account).where('runs.number', '=', p.number),
);

const lastBaseline = preparedFirst<RunRef & { account: string }, Taken>((db, p) =>
  baselinesOf(db, p.campaign, p.account).where('runs.number', '<=', p.number),
);

/**
 * Whether a run has its own baseline: it is taken before the run creates anything, whatever earlier runs have left
 * unsettled.
 */
export async function hasOwnBaseline(store: Store, { campaign, number }: RunRef, account: string): Promise<boolean> {
  return (await ownBaseline(store.db, { campaign, number, account })) !== undefined;
}

/**
 * The baseline above which the account's list is read. With unsettled attempts in the account: the baseline of the
 * earliest run that made one, or the last one before it. Otherwise this run's own, or null.
 */
export async function baseline(store: Store, run: RunRef, account: string): Promise<Baseline | null> {
  const { campaign, number } = run;
  const earliest = await earliestUnsettled(store.db, { runId: await runIdOf(store.db, run), account });
  const found =
    earliest === undefined || earliest.number === null
      ? await ownBaseline(store.db, { campaign, number, account })
      : await lastBaseline(store.db, { campaign, number: earliest.number, account });
  return found ? { account, takenAt: found.taken_at, ids: JSON.parse(found.ids) as string[] | null } : null;
}
