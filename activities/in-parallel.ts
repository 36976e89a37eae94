/** Runs `work` on all items, at most `width` at once. The first failure is thrown after the others have ended. */
export async function inParallel<T>(
  width: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const lanes = Array.from({ length: Math.min(width, items.length) }, async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await work(next.value);
  });
  const outcomes = await Promise.allSettled(lanes);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
