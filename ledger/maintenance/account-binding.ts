import { AccountRebindError } from '../model/errors';
import { type Store } from '../engine/store';

/**
 * Binds an account's name to its base URL (compared without a trailing slash), or checks the binding.
 * @throws AccountRebindError if the name is bound to another base URL and `confirm` is not set
 */
export async function bindAccount(
  store: Store,
  input: { account: string; baseUrl: string; confirm?: boolean },
): Promise<void> {
  const baseUrl = input.baseUrl.replace(/(?<!\/)\/+$/, '');
  await store.write(async (tx) => {
    const bound = await tx
      .selectFrom('accounts')
      .select('base_url')
      .where('name', '=', input.account)
      .executeTakeFirst();
    if (bound?.base_url === baseUrl) return;
    if (bound && bound.base_url !== '' && input.confirm !== true) {
      throw new AccountRebindError(input.account, bound.base_url, baseUrl);
    }
    await tx
      .insertInto('accounts')
      .values({ name: input.account, base_url: baseUrl, bound_at: store.now(), seen: 0, slowest_ms: 0, habits: null })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ base_url: baseUrl, bound_at: store.now() }))
      .execute();
  });
}
