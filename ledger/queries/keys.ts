import { type Store } from '../engine/store';

/** Keys of a campaign's rows that begin with a text, in order; a key that several channels have appears once. */
export async function keysOf(
  { db }: Store,
  wanted: { campaign: string; prefix: string; limit: number },
): Promise<string[]> {
  const { campaign, prefix, limit } = wanted;
  // Databases count code points; `length` would count a character beyond U+FFFF as two.
  const characters = Array.from(prefix).length;
  const found = await db
    .selectFrom('rows')
    .select('key')
    .distinct()
    .where('campaign', '=', campaign)
    .where((where) => where.fn('substr', ['key', where.val(1), where.val(characters)]), '=', prefix)
    .orderBy('key')
    .limit(limit)
    .execute();
  return found.map(({ key }) => key);
}
