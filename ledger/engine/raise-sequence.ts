import { prepared, type Tx } from './store';

/** Transactions that raise the ledger's sequence number when they commit. */
const raising = new WeakSet<Tx>();

const nextSequence = prepared<object, { value: number }>((db) =>
  db
    .updateTable('sequence')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .returning('value'),
);

/**
 * Makes a transaction raise the ledger's sequence number. Every claim and run does this, so that a ledger that was
 * rolled back is noticed. Writes that are committed together raise it once.
 */
export function raiseSequence(tx: Tx): void {
  raising.add(tx);
}

export function isRaising(tx: Tx): boolean {
  return raising.has(tx);
}

/** The write that is rolled back was the first in its transaction that requested it. */
export function stopRaising(tx: Tx): void {
  raising.delete(tx);
}

/** Right before the commit. Returns the new number, or undefined if nothing requested one. */
export async function raiseIfAsked(tx: Tx): Promise<number | undefined> {
  if (!raising.has(tx)) return undefined;
  const [next] = await nextSequence(tx, {});
  return next?.value;
}
