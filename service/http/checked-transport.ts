import { type Answered } from './answered';
import { type HttpTransport, type Observer, type SendInput } from './transport';
import { readProfiles } from '../api/answers';
import { AccessError, ConnectError, OtherAccountError, ServiceError } from '../errors';

/** Why a key isn't the account's, given the ids of the profiles that it shows; null: it may be. */
export type KeyCheck = (profileIds: readonly string[]) => Promise<string | null>;

const PROFILES = '/v1/profiles';

/**
 * Before anything else is requested, reads the profiles that the key shows (section 4.1), to find out whether it is
 * the account's: a key belongs to an account (section 5), but no answer names it.
 */
export class CheckedTransport implements HttpTransport {
  #check: KeyCheck | null = null;
  #hasPassed = false;

  constructor(private readonly inner: HttpTransport) {}

  /** From now on, and until it has found the key to be the account's. */
  checkWith(check: KeyCheck): void {
    this.#check = check;
    this.#hasPassed = false;
  }

  async get(path: string, signal: AbortSignal | undefined): Promise<Answered> {
    if (path !== PROFILES) await this.demandKey(signal);
    const answered = await this.inner.get(path, signal);
    if (path === PROFILES) await this.#compare(answered);
    return answered;
  }

  async send(input: SendInput): Promise<Answered> {
    const { method, path } = input;
    try {
      await this.demandKey(input.signal);
    } catch (error) {
      // Nothing of this request was sent.
      if (!(error instanceof ServiceError) || error instanceof AccessError || error.kind === 'aborted') throw error;
      throw new ConnectError(error.message, { method, path, sent: 'never', cause: error });
    }
    return this.inner.send(input);
  }

  /** @throws OtherAccountError; ServiceError if the profiles can't be read */
  async demandKey(signal?: AbortSignal): Promise<void> {
    if (this.#check === null || this.#hasPassed) return;
    const answered = await this.inner.get(PROFILES, signal);
    if (!(await this.#compare(answered))) throw answered.unreadable('without a readable list of profiles');
  }

  observe(observer: Observer): void {
    this.inner.observe(observer);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** False if the answer can't be read. */
  async #compare(answered: Answered): Promise<boolean> {
    const list = readProfiles(answered.json);
    if (list === undefined) return false;
    const why = await this.#check?.(list.profiles.map(({ id }) => id));
    if (typeof why === 'string') throw new OtherAccountError(why, { method: 'GET', path: PROFILES, sent: 'never' });
    this.#hasPassed = true;
    return true;
  }
}
