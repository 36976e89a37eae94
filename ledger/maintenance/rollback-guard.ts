import { LedgerFaultError, LedgerRolledBackError } from '../model/errors';
import { acceptServer, isSameServer } from '../engine/database-server';
import { readMirror, SequenceMirror } from '../engine/sequence-file';
import { raiseSequence } from '../engine/raise-sequence';
import { preparedFirst, type Store } from '../engine/store';

/** What is wrong with a ledger that was rolled back. */
export type RolledBack = LedgerRolledBackError['rolledBack'];

export interface Safety {
  /** Null for a ledger that was not rolled back. */
  rolledBack: RolledBack | null;
  /** Accepts the current state: the ledger was reconciled with the service. */
  accept(): Promise<void>;
  close(): void;
}

/**
 * Compares the ledger's sequence number with its mirror, and from then on mirrors each commit that raises it.
 * @throws LedgerRolledBackError if the ledger was rolled back, unless `allowRolledBack` is set (then nothing is
 * mirrored)
 */
export async function guardSequence(
  store: Store,
  ledger: { id: string; place: string; sequenceFile: string; allowRolledBack: boolean; isServerShown: boolean },
): Promise<Safety> {
  const { sequenceFile: path } = ledger;
  // The mirror first: what is committed between the two reads only makes the ledger newer.
  const mirrored = readMirror(path);
  const current = await sequence(store);
  const lost = mirrored !== null && mirrored.ledger !== ledger.id && mirrored.sequence > 0;
  const behind = mirrored?.ledger === ledger.id && mirrored.sequence > current;
  const promoted = ledger.isServerShown && !(await isSameServer(store.db, { note: false }));
  const rolledBack: RolledBack | null =
    mirrored !== null && (lost || behind)
      ? { lost, sequence: current, expected: mirrored.sequence }
      : promoted
        ? { lost: false, sequence: current, expected: current, promoted }
        : null;
  if (rolledBack && !ledger.allowRolledBack) throw new LedgerRolledBackError(ledger.place, rolledBack);
  let mirror: SequenceMirror | null = null;
  const begin = (): void => {
    const opened = new SequenceMirror(path, ledger.id);
    mirror = opened;
    store.onRaised((raised) => opened.note(raised));
  };
  if (!rolledBack) begin();
  if (!rolledBack && mirrored === null) await store.write(async (tx) => raiseSequence(tx));
  return {
    rolledBack,
    async accept() {
      if (!rolledBack || mirror !== null) return;
      begin();
      const at = Math.max(rolledBack.sequence, rolledBack.expected) + 1;
      await store.write(async (tx) => {
        await tx.updateTable('sequence').set({ value: at }).execute();
        if (ledger.isServerShown) await acceptServer(tx);
        raiseSequence(tx);
      });
    },
    close: () => mirror?.close(),
  };
}

const current = preparedFirst<object, { value: number }>((db) => db.selectFrom('sequence').select('value'));

/** The sequence number: every claim and every run raises it. */
export async function sequence(store: Store): Promise<number> {
  const found = await current(store.db, {});
  if (found === undefined) throw new LedgerFaultError('the ledger has no sequence number');
  return found.value;
}
