import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { LedgerOpenError, LedgerOtherHostError } from '../model/errors';
import { type Store } from '../engine/store';

/** The machine that opens a ledger. */
export interface LedgerHost {
  /** Stays the same across reboots. */
  id: string;
  /** Changes with every boot; containers of one machine share it. */
  boot: string;
}

/** File systems (by statfs type) whose locks other hosts don't see in time, or at all. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x5346414f: 'AFS',
  0x00c36400: 'Ceph',
  0x0bd00bd0: 'Lustre',
};

/** @throws LedgerOpenError for a folder on a network file system */
export function demandLocalDisk(path: string): void {
  let type: number;
  try {
    type = statfsSync(dirname(path)).type;
  } catch {
    // A system that doesn't report its type is not refused.
    return;
  }
  const name = NETWORK[type >>> 0];
  if (name === undefined) return;
  throw new LedgerOpenError(
    `it is on a network file system (${name}), whose locks don’t keep two hosts from sending the same row; ` +
      'set REELAY_HOME to a folder on a disk of this machine',
  );
}

/**
 * Binds the ledger to the machine that uses it: a copy on a second host would grant its own permissions to send. The
 * same machine is recognised by its id, or by its boot (containers on one machine).
 * @throws LedgerOtherHostError unless `move` confirms that it was moved on purpose
 */
export async function bindHost(
  store: Store,
  host: LedgerHost,
  options: { path: string; move: boolean },
): Promise<void> {
  const kept = await store.db
    .selectFrom('meta')
    .select(['name', 'value'])
    .where('name', 'in', ['host', 'boot'])
    .execute();
  const of = (name: string): string | undefined => kept.find((meta) => meta.name === name)?.value;
  const [id, boot] = [of('host'), of('boot')];
  if (id === host.id && boot === host.boot) return;
  if (id !== undefined && id !== host.id && boot !== host.boot && !options.move) {
    throw new LedgerOtherHostError(options.path, id, host.id);
  }
  await store.write(async (tx) => {
    for (const [name, value] of [
      ['host', host.id],
      ['boot', host.boot],
    ] as const) {
      await tx
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    }
  });
}
