import { type CancelWatch } from './cancel-looks';
import { type Departures } from './departures';
import { type ActivityDeps } from '../deps';
import { type Slots } from './slots';
import { type Turns } from './turns';
import { type Spool } from './spool';
import { type AccountConnection } from '../../service/accounts';

export type CreateDeps = ActivityDeps & {
  spool: Spool;
  slots: (account: string) => Slots;
  turns: (channelId: string) => Turns;
  departures: Departures;
  cancels: CancelWatch;
  witness: Witness;
};

/** Compares the ledger with the service before this process sends the first row of an account. */
export interface Witness {
  check(connection: AccountConnection): Promise<'checked' | 'unreadable'>;
}
