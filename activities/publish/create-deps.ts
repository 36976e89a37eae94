import { type CancelWatch } from './cancel-watch';
import { type Departures } from './places/departures';
import { type ActivityDeps } from '../deps';
import { type Slots } from './places/slots';
import { type Turns } from './places/turns';
import { type Spool } from './spool/spool';
import { type EntryPlace } from '../../ledger/model/attempt-types';
import { type RowState } from '../../ledger/model/states';
import { type AccountConnection } from '../../service/accounts';

export type CreateDeps = ActivityDeps & {
  spool: Spool;
  slots: (account: string) => Slots;
  turns: (channelId: string) => Turns;
  departures: Departures;
  cancels: CancelWatch;
  witness: Witness;
  /** Whether the record of an own publication that a read doesn't find was certainly deleted at the service. */
  isProvenDeleted: (connection: AccountConnection, publicationId: string, signal: AbortSignal) => Promise<boolean>;
};

/** Compares the ledger with the service before this process sends the first row of an account. */
export interface Witness {
  check(connection: AccountConnection): Promise<'checked' | 'unreadable'>;
  /**
   * Compares a row with the publications that no row owned when the ledger was reconciled. `state`: what it is if it may
   * be one of them; null if it can be sent with the values that were `compared`.
   */
  compareRow(rowId: number): Promise<{ state: RowState } | { state: null; compared: EntryPlace }>;
}
