import { rowsOf, viewOf } from '../runs/view';
import { DIFFERING_CODES, type RowState, UNCHANGED_CODES } from '../model/states';
import { type Store } from '../engine/store';
import { type RunRef } from '../model/types';

/** Rows of a run's view, by the run that processes or ended them. */
export interface RowsOfRun {
  /** The run's number; null: no run has them. */
  number: number | null;
  state: RowState;
  /** Drafts that could not be changed, and rows that are live but not as requested. */
  otherwise: boolean;
  rows: number;
}

/**
 * The rows that a run shows, by the run that they belong to: its own, those done before it, and those that a later one
 * took.
 */
export async function rowsByRun(store: Store, ref: RunRef): Promise<RowsOfRun[]> {
  const codes = [...DIFFERING_CODES, ...UNCHANGED_CODES];
  const found: RowsOfRun[] = [];
  for (const some of await rowsOf(store.db, await viewOf(store.db, ref))) {
    const groups = await some
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select(['runs.number', 'rows.state'])
      .select((eb) =>
        eb.fn.sum<number | string>(eb.case().when('rows.code', 'in', codes).then(1).else(0).end()).as('coded'),
      )
      .select((eb) => eb.fn.countAll<number | string>().as('rows'))
      .groupBy(['runs.number', 'rows.state'])
      .execute();
    for (const { number, state, coded, rows } of groups) {
      const otherwise = state === 'published' || state === 'drafted' ? Number(coded) : 0;
      found.push({ number, state, otherwise: true, rows: otherwise });
      found.push({ number, state, otherwise: false, rows: Number(rows) - otherwise });
    }
  }
  return found.filter(({ rows }) => rows > 0);
}

/** Drafts that a run changed at the service: they still belong to the run that created them. */
export async function draftsChangedBy({ db }: Store, { campaign, number }: RunRef): Promise<number> {
  const { n } = await db
    .selectFrom('decisions')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('kind', '=', 'patched')
    .where('by', '=', `${campaign}.${String(number)}`)
    .executeTakeFirstOrThrow();
  return Number(n);
}
