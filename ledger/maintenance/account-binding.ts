import { AccountRebindError } from '../model/errors';
import { type Db, type Store } from '../engine/store';

/**
 * Binds an account's name to its base URL, or checks the binding. `isSame`: whether the bound one is that address written
 * differently; by default, without a slash at its end.
 * @throws AccountRebindError if the name is bound to another base URL and `confirm` is not set
 */
export async function bindAccount(
  store: Store,
  input: { account: string; baseUrl: string; isSame?: (bound: string) => boolean; confirm?: boolean },
): Promise<void> {
  const baseUrl = input.baseUrl.replace(/(?<!\/)\/+$/, '');
  const isSame = input.isSame ?? (() => false);
  await store.write(async (tx) => {
    const bound = await tx
      .selectFrom('accounts')
      .select('base_url')
      .where('name', '=', input.account)
      .executeTakeFirst();
    if (bound?.base_url === baseUrl) return;
    if (bound && bound.base_url !== '' && !isSame(bound.base_url) && input.confirm !== true) {
      throw new AccountRebindError(input.account, bound.base_url, baseUrl);
    }
    await tx
      .insertInto('accounts')
      .values({ name: input.account, base_url: baseUrl, bound_at: store.now(), seen: 0, slowest_ms: 0, habits: null })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ base_url: baseUrl, bound_at: store.now() }))
      .execute();
  });
}

/** The key in `meta` under which the profiles of an account are noted: their ids, as JSON. */
export function profilesName(account: string): string {
  return `profiles/${account}`;
}

/**
 * The ids of an account's profiles as they were last read; before the first time, of those that its rows have had. By
 * them a key of another account is recognised, since ids are unique across accounts (interface, section 2.1).
 */
export function profilesOf(noted: string | null, channels: readonly { profile_id: string }[]): string[] {
  if (noted !== null) return JSON.parse(noted) as string[];
  return [...new Set(channels.map(({ profile_id }) => profile_id).filter((id) => id !== ''))];
}

/** Why the key that shows these profiles isn't the account's; null: it may be. */
export function otherAccountText(account: string, known: readonly string[], shown: readonly string[]): string | null {
  if (known.length === 0 || known.some((id) => shown.includes(id))) return null;
  const profiles = known.length === 1 ? 'the profile' : `any of the ${known.length} profiles`;
  return `the key doesn’t show ${profiles} that this ledger knows of account ${account}: it seems to be another account’s`;
}

/**
 * Notes an account's profiles as the service shows them, unless they show that the key is another account's: returns
 * why then. `confirm`: they are noted all the same.
 */
export async function bindProfiles(
  store: Store,
  input: { account: string; profiles: readonly string[]; confirm?: boolean },
): Promise<string | null> {
  const { account, profiles, confirm = false } = input;
  const name = profilesName(account);
  const value = JSON.stringify([...profiles].sort());
  const noted = async (db: Db): Promise<string | null> =>
    (await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst())?.value ?? null;
  if ((await noted(store.db)) === value) return null;
  return store.write(async (tx) => {
    const channels = await tx.selectFrom('channels').select('profile_id').where('account', '=', account).execute();
    const known = profilesOf(await noted(tx), channels);
    const why = confirm ? null : otherAccountText(account, known, profiles);
    if (why !== null) return why;
    await tx
      .insertInto('meta')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    return null;
  });
}
