import { type ServiceClient } from './api/client';

/** One account of the service, as this process can reach it. */
export interface AccountConnection {
  name: string;
  client: ServiceClient;
  /** Nobody else publishes on this account: one unowned publication can then be taken for the one that was lost. */
  exclusive: boolean;
  /** 429 means that nothing was created. The interface doesn't say so; only for a service known to keep it. */
  trust429: boolean;
}

export interface AccountRegistry {
  /** @throws an error that names the variable which would hold the key, where there is none; MissingAccountError for a name that isn't configured */
  get(name: string): AccountConnection;
  names(): string[];
}
