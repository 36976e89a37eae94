import { type AccountConnection } from '../../service/accounts';
import { type Ledger } from '../../ledger/ledger';
import { type OpenAccounts } from '../../worker/accounts';
import { type CommandFlags } from '../command';
import { type Output } from '../terminal/output';
import { type Settings } from '../config/settings';

/** What a command about the service's own objects works with. */
export interface ServiceSession {
  settings: Settings;
  accounts: OpenAccounts;
  /** The requested account, or the one for rows that don't name one. */
  connection: () => AccountConnection;
  /** A ledger that doesn't exist yet is treated as empty. */
  ledger: Ledger;
  close(): Promise<void>;
}

/**
 * Opens the accounts, with their keys masked in all output, and the ledger: for reading, for changing rows, or for
 * creating rows, in which case a missing ledger is created. For its profiles alone, no sandbox has to run.
 */
export async function openSession(
  output: Output,
  flags: CommandFlags,
  use: 'profiles' | 'look' | 'change' | 'make' = 'look',
): Promise<ServiceSession> {
  const [{ loadSettings }, engine, { mayExist }] = await Promise.all([
    import('../config/settings.js'),
    import('../stack/engine.js'),
    import('../../ledger/model/location.js'),
  ]);
  const settings = await loadSettings(flags);
  await engine.hideKeys(settings, output);
  const { serviceForProfiles } = await import('../stack/brief-sandbox.js');
  const service =
    use === 'profiles'
      ? await serviceForProfiles(settings)
      : { address: await engine.sandboxAddress(settings), close: async () => undefined };
  const accounts = await engine.openAccounts(settings, service.address);
  const changes = use === 'make' || (use === 'change' && mayExist(settings.ledger));
  const ledger = changes ? await engine.openOwnLedger(settings) : await engine.openForReading(settings);
  return {
    settings,
    accounts,
    connection: () => {
      // Explains how to choose if several accounts are configured and none was given.
      if (!accounts.names().includes(settings.account)) settings.baseUrl();
      return accounts.get(settings.account);
    },
    ledger,
    async close() {
      await ledger.close();
      await accounts.close();
      await service.close();
    },
  };
}
