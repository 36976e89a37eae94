import { prepared, type Tx } from './store';

/** Transactions that are to raise the ledger's number when they are committed. */
const raising = new WeakSet<Tx>();

const nextSequence = prepared<object, { value: number }>((db) =>
  db
    .updateTable('sequence')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .returning('value'),
);

/**
 * Has a transaction raise the ledger's number: with every claim and run, so that a ledger which went back is noticed.
 * Writes that are committed together raise it once.
 */
export function raiseSequence(tx: Tx): void {
  raising.add(tx);
}

export function isRaising(tx: Tx): boolean {
  return raising.has(tx);
}

/** Of a write that is taken back, and was the first of its transaction to ask. */
export function stopRaising(tx: Tx): void {
  raising.delete(tx);
}

/** Right before the commit. Gives the new number, or undefined where nothing asked for one. */
export async function raiseIfAsked(tx: Tx): Promise<number | undefined> {
  if (!raising.has(tx)) return undefined;
  const [next] = await nextSequence(tx, {});
  return next?.value;
}
