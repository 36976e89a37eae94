import { type ServiceClient } from './api/client';

/** One account of the service, with this process's connection to it. */
export interface AccountConnection {
  name: string;
  client: ServiceClient;
  /** Only reelay publishes on this account: one unowned publication can then be taken for the one that was lost. */
  exclusive: boolean;
  /** 429 means that nothing was created. The interface doesn't guarantee this; only for a service known to do so. */
  trust429: boolean;
}

export interface AccountRegistry {
  /**
   * @throws an error that names the variable for the key, if there is no key; MissingAccountError for a name that isn't
   * configured
   */
  get(name: string): AccountConnection;
  names(): string[];
}
