/** Groups items by account, in the order in which the accounts first appear. */
export function byAccount<T extends { account: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.account);
    if (group === undefined) groups.set(item.account, [item]);
    else group.push(item);
  }
  return groups;
}
