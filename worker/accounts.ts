import { type AccountConnection, type AccountRegistry } from '../service/accounts';
import { ServiceClient } from '../service/api/client';
import { type KeyCheck } from '../service/http/checked-transport';
import { type TimeLimits } from '../service/connection/time-limits';

/** An account in the configuration. */
export interface AccountSettings {
  name: string;
  baseUrl: string;
  apiKey: string;
  exclusive: boolean;
  trust429: boolean;
  /** Time limits that override the client's own. */
  limits?: Partial<TimeLimits>;
  /** Whether the key is the account's, before anything but its profiles is requested. */
  keyCheck?: KeyCheck;
}

/** An account that is configured, but can't be used here, for example because its key isn't set. */
export interface UnusableAccount {
  name: string;
  /** Thrown when it is used; names the variable. */
  refusal: Error;
}

/** This process can't reach an account: it is not configured here. */
export class MissingAccountError extends Error {
  override readonly name = 'MissingAccountError';
  readonly code = 'no-account';

  constructor(
    readonly account: string,
    known: readonly string[],
  ) {
    super(`account "${account}" is not configured here (configured: ${known.join(', ')})`);
  }
}

export interface OpenAccounts extends AccountRegistry {
  close(): Promise<void>;
}

/** Each account gets its own client with its own key: nothing of one account is ever sent to another. */
export function buildAccounts(settings: readonly (AccountSettings | UnusableAccount)[]): OpenAccounts {
  const connections = new Map<string, AccountConnection>();
  return {
    names: () => settings.map((account) => account.name),
    get(name) {
      const known = connections.get(name);
      if (known !== undefined) return known;
      const account = settings.find((each) => each.name === name);
      if (account === undefined) {
        throw new MissingAccountError(
          name,
          settings.map((each) => each.name),
        );
      }
      if ('refusal' in account) throw account.refusal;
      const connection: AccountConnection = {
        name,
        client: new ServiceClient({
          baseUrl: account.baseUrl,
          apiKey: account.apiKey,
          ...(account.limits === undefined ? {} : { limits: account.limits }),
          // A service on this machine (the sandbox) is never behind a proxy.
          ...(isLoopback(account.baseUrl) ? { environment: {} } : {}),
        }),
        exclusive: account.exclusive,
        trust429: account.trust429,
      };
      if (account.keyCheck !== undefined) connection.client.checkKey(account.keyCheck);
      connections.set(name, connection);
      return connection;
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.client.close()));
    },
  };
}

function isLoopback(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(new URL(baseUrl).hostname);
}
