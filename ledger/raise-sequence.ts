import { prepared, type Tx } from './store';

/** The number that a transaction raised the ledger to. */
const raised = new WeakMap<Tx, number | undefined>();

const nextSequence = prepared<object, { value: number }>((db) =>
  db
    .updateTable('sequence')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .returning('value'),
);

/** Raises the ledger's number in a transaction: with every claim and run, so that a ledger which went back is noticed. */
export async function raiseSequence(tx: Tx): Promise<void> {
  const [next] = await nextSequence(tx, {});
  if (next) raised.set(tx, next.value);
}

export function raisedTo(tx: Tx): number | undefined {
  return raised.get(tx);
}

export function setRaised(tx: Tx, value: number | undefined): void {
  raised.set(tx, value);
}
