import { preparedFirst, type Store } from '../engine/store';

/** How an account shows and lists what was sent, learned from its own creates. All are counts of own publications. */
export interface ListHabits {
  /** How many were seen in the list, and the longest time one took to appear there. */
  seen: number;
  slowestMs: number;
  /** The least time after which one was certainly listed; null if none was seen soon enough to tell. */
  quickestMs: number | null;
  /** Titles shown as they were sent; changed as services usually do; and as something else. */
  title: { exact: number; changed: number; far: number };
  platform: { same: number; other: number };
  profile: { same: number; other: number };
  /** First appearances in the list with a title and without one. */
  list: { titled: number; untitled: number };
  /** Neighbours in the list whose order of creation is known: the newer one first, or not. */
  order: { kept: number; broken: number };
}

type Counted = Omit<ListHabits, 'seen' | 'slowestMs' | 'quickestMs'>;
type Kept = Counted & Pick<ListHabits, 'quickestMs'>;

/** What is added to the counts; the smallest of the times is kept. */
export type LearnedHabits = { [K in keyof Counted]?: Partial<Counted[K]> } & { quickestMs?: number | null };

const NOTHING: Kept = {
  quickestMs: null,
  title: { exact: 0, changed: 0, far: 0 },
  platform: { same: 0, other: 0 },
  profile: { same: 0, other: 0 },
  list: { titled: 0, untitled: 0 },
  order: { kept: 0, broken: 0 },
};

export function readHabits(text: string | null): Kept {
  const kept = text === null ? {} : (JSON.parse(text) as LearnedHabits);
  return added(NOTHING, kept);
}

const learned = preparedFirst<{ account: string }, { seen: number; slowest_ms: number; habits: string | null }>(
  (db, p) => db.selectFrom('accounts').select(['seen', 'slowest_ms', 'habits']).where('name', '=', p.account),
);

/** How the account's list treats what was sent, as own creates showed it. */
export async function listHabits(store: Store, account: string): Promise<ListHabits> {
  const found = await learned(store.db, { account });
  return { seen: found?.seen ?? 0, slowestMs: found?.slowest_ms ?? 0, ...readHabits(found?.habits ?? null) };
}

/** Adds to what is learned of an account. */
export async function learnHabits(store: Store, account: string, more: LearnedHabits): Promise<void> {
  await store.write(async (tx) => {
    const found = await tx.selectFrom('accounts').select('habits').where('name', '=', account).executeTakeFirst();
    const habits = JSON.stringify(added(readHabits(found?.habits ?? null), more));
    await tx
      .insertInto('accounts')
      .values({ name: account, base_url: '', bound_at: store.now(), seen: 0, slowest_ms: 0, habits })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ habits }))
      .execute();
  });
}

function added(counted: Kept, more: LearnedHabits): Kept {
  const sum = <T extends Record<string, number>>(a: T, b: Partial<T> = {}): T =>
    Object.fromEntries(Object.entries(a).map(([name, count]) => [name, count + (b[name] ?? 0)])) as T;
  const times = [counted.quickestMs, more.quickestMs].filter((ms) => typeof ms === 'number');
  return {
    quickestMs: times.length === 0 ? null : Math.min(...times),
    title: sum(counted.title, more.title),
    platform: sum(counted.platform, more.platform),
    profile: sum(counted.profile, more.profile),
    list: sum(counted.list, more.list),
    order: sum(counted.order, more.order),
  };
}
