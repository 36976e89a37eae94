import { type AccountRegistry } from '../../service/accounts';
import { type KeyCheck } from '../../service/http/checked-transport';
import { type LedgerLocation, mayExist } from '../../ledger/model/location';
import { type Ledger } from '../../ledger/ledger';
import { type LedgerHost } from '../../ledger/maintenance/host-binding';
import { type RunRef } from '../../ledger/model/types';
import { type OpenAccounts } from '../../worker/accounts';
import { type TemporalConnection, type TemporalOptions } from '../../temporal/connect';
import { ConfigError } from '../errors/errors';
import { OTHER_ACCOUNT } from '../errors/explain-error';
import { type Output } from '../terminal/output';
import { type TemporalSettings } from '../config/temporal-settings';
import { type Settings } from '../config/settings';

/** Where this command's Temporal is, and how it was found. */
export interface TemporalPlace extends TemporalSettings {
  webUi: string | null;
  /** None is configured, and none runs in this home: a Temporal at the usual address belongs to something else. */
  nowhere?: boolean;
}

/** Opens the user's ledger, and creates it if there is none. */
export async function openOwnLedger(settings: Settings): Promise<Ledger> {
  const { openLedger } = await import('../../ledger/open.js');
  await narrowHome(settings);
  return openLedger(settings.ledger, { host: await thisHost() });
}

/** Opens it for reading only, even if it was rolled back, so that people can see its content. */
export async function openLedgerReadOnly(settings: Settings): Promise<Ledger> {
  const { openLedger } = await import('../../ledger/open.js');
  await narrowHome(settings);
  return openLedger(settings.ledger, { host: await thisHost(), allowRolledBack: true });
}

/**
 * For a home created under another umask, or by hand: its content is for its user alone. `doctor` and `plan`, which
 * change nothing, don't do this.
 */
async function narrowHome({ home }: Settings): Promise<void> {
  const { narrowOwnFolder } = await import('../../host/own-folder.js');
  // A home whose mode can't be changed, or that doesn't exist yet, is no reason not to read the ledger.
  await narrowOwnFolder(home).catch(() => undefined);
}

/** The machine, without the facts that differ between its containers. */
export async function thisHost(): Promise<LedgerHost> {
  const { currentProcess } = await import('../../host/process-identity.js');
  const { hostId, bootId } = currentProcess();
  return { id: hostId.replace(/\/pid:[^/]*$/, ''), boot: bootId };
}

async function isThere(ledger: LedgerLocation): Promise<boolean> {
  if ('path' in ledger) return mayExist(ledger);
  const { inspectLedger } = await import('../../ledger/maintenance/inspect.js');
  return (await inspectLedger(ledger)) !== null;
}

/** Reading doesn't create a missing ledger: an empty one in memory has the same history. */
export async function openForReading(settings: Settings): Promise<Ledger> {
  const { openLedger } = await import('../../ledger/open.js');
  return openLedger((await isThere(settings.ledger)) ? settings.ledger : { path: ':memory:' }, {
    host: await thisHost(),
    allowRolledBack: true,
  });
}

/**
 * Every configured account; an account without a key or address throws when it is used. `sandboxUrl` is the address of
 * all of them in a rehearsal.
 */
export async function openAccounts(settings: Settings, sandboxUrl?: string): Promise<OpenAccounts> {
  const { timeLimits: limits } = settings;
  const { buildAccounts } = await import('../../worker/accounts.js');
  const { demandBound, keyCheckOf } = await bindingChecks(settings);
  return buildAccounts(
    await Promise.all(
      settings.accounts.map(async ({ name, exclusive, trust429, ...account }) => {
        try {
          const baseUrl = sandboxUrl ?? account.baseUrl();
          demandBound(name, baseUrl);
          const keyCheck = keyCheckOf(name);
          return {
            ...{ name, baseUrl, apiKey: await account.apiKey(), exclusive, trust429, limits },
            ...(keyCheck === null ? {} : { keyCheck }),
          };
        } catch (error) {
          return { name, refusal: error as Error };
        }
      }),
    ),
  );
}

interface BindingChecks {
  demandBound: (account: string, baseUrl: string) => void;
  keyCheckOf: (account: string) => KeyCheck | null;
}

/**
 * What every client is checked against before it can send a key, unless the user confirmed the change: the address that
 * the ledger binds its account to, and the accounts that had this address (`demandBound` throws AccountRebindError or
 * AccountRenamedError). Before anything but the profiles is requested: that the key shows the account's.
 */
async function bindingChecks(settings: Settings): Promise<BindingChecks> {
  if (settings.sandbox || settings.confirmBaseUrl || !mayExist(settings.ledger))
    return { demandBound: () => undefined, keyCheckOf: () => null };
  const [{ inspectLedger }, { otherAccountText }, { AccountRebindError, AccountRenamedError }, { parseBaseUrl }] =
    await Promise.all([
      import('../../ledger/maintenance/inspect.js'),
      import('../../ledger/maintenance/account-binding.js'),
      import('../../ledger/model/errors.js'),
      import('../../service/connection/base-url.js'),
    ]);
  const accounts = (await inspectLedger(settings.ledger))?.accounts.filter((account) => account.baseUrl !== '') ?? [];
  const configured = new Set(settings.accounts.map((account) => account.name));
  const demandBound = (name: string, baseUrl: string): void => {
    const bound = accounts.find((account) => account.name === name)?.baseUrl;
    const given = parseBaseUrl(baseUrl);
    if (bound !== undefined && parseBaseUrl(bound).href !== given.href)
      throw new AccountRebindError(name, bound, given.href);
    const earlier = accounts.find(
      (account) =>
        account.hasRows && !configured.has(account.name) && parseBaseUrl(account.baseUrl).service === given.service,
    );
    if (bound === undefined && earlier !== undefined) throw new AccountRenamedError(name, earlier.name);
  };
  return {
    demandBound,
    keyCheckOf: (name) => {
      const known = accounts.find((account) => account.name === name)?.profiles ?? [];
      return known.length === 0 ? null : async (shown) => otherAccountText(name, known, shown);
    },
  };
}

/**
 * Masks every key in all output. A single account without a key is refused at once; with several, the needed ones are
 * known later.
 * @throws ConfigError
 */
export async function hideKeys(settings: Settings, output: Output): Promise<void> {
  const { accounts } = settings;
  for (const account of accounts) {
    const key = accounts.length === 1 ? await account.apiKey() : await account.apiKey().catch(() => null);
    if (key !== null) output.hide(key);
  }
}

/** Binds accounts to their current addresses. @throws ConfigError for one that has no key here; AccountRebindError */
export async function bindAccounts(
  ledger: Ledger,
  accounts: AccountRegistry,
  input: { names: Iterable<string>; confirm: boolean },
): Promise<void> {
  const { parseBaseUrl } = await import('../../service/connection/base-url.js');
  for (const name of input.names) {
    const { baseUrl } = accounts.get(name).client;
    const isSame = (bound: string): boolean => parseBaseUrl(bound).href === baseUrl;
    await ledger.bindAccount({ account: name, baseUrl, isSame, confirm: input.confirm });
  }
}

/** Notes an account's profiles. @throws ConfigError if they show that the key is another account's */
export async function bindProfiles(
  ledger: Ledger,
  input: { account: string; profiles: readonly string[]; confirm: boolean },
): Promise<void> {
  const why = await ledger.bindProfiles(input);
  if (why !== null) throw new ConfigError('account-changed', why, OTHER_ACCOUNT);
}

/** A worker takes tasks of every account, so it needs every key. @throws ConfigError naming the variable */
export function demandUsable(accounts: AccountRegistry): void {
  for (const name of accounts.names()) accounts.get(name);
}

/** The accounts of a run's rows. */
export async function accountsOfRun(ledger: Ledger, run: RunRef): Promise<string[]> {
  return [...new Set((await ledger.channels(run)).map((channel) => channel.account))];
}

/** The configured Temporal, otherwise that of a stack which runs in this home. */
export async function locateTemporal(settings: Settings): Promise<TemporalPlace> {
  const temporal = await settings.temporal();
  if (temporal.configured) return { ...temporal, webUi: settings.webUi };
  const stack = await runningStack(settings);
  if (stack) return { ...temporal, ...stack.temporal };
  return { ...temporal, webUi: settings.webUi, nowhere: true };
}

/** The stack that runs in this home, according to its record; null if none does. */
export async function runningStack(settings: Settings): Promise<{
  temporal: { address: string; namespace: string; webUi: string | null };
  sandbox: { baseUrl: string } | null;
} | null> {
  const [{ readRecord }, { isProcessAlive }] = await Promise.all([
    import('../../embedded/stack/home.js'),
    import('../../host/process-identity.js'),
  ]);
  const record = await readRecord(settings.home);
  if (record?.state !== 'ready' || record.temporal === null || isProcessAlive(record.owner) === 'dead') return null;
  return { temporal: { ...record.temporal, namespace: record.namespace }, sandbox: record.sandbox };
}

/** The settings for connecting to it, without ours. */
export function temporalOptions(place: TemporalPlace): TemporalOptions {
  const { address, namespace, connection, payloadKeys } = place;
  return { address, namespace, connection, ...(payloadKeys === undefined ? {} : { payloadKeys }) };
}

/** @throws TemporalUnreachableError within 10 s */
export async function connect(place: TemporalPlace): Promise<TemporalConnection> {
  const { connectTemporal, TemporalUnreachableError } = await import('../../temporal/connect.js');
  if (place.nowhere) {
    throw new TemporalUnreachableError(null, place.namespace, 'none is configured, and none runs in this home');
  }
  return connectTemporal(temporalOptions(place));
}

/**
 * A SQLite ledger with a Temporal on another host: workers there would have ledgers of their own, and nothing would
 * keep them from publishing twice.
 * @throws ConfigError unless it was confirmed that this is the only host
 */
export function demandSingleHost(place: TemporalSettings, ledger: LedgerLocation, confirmed: boolean): void {
  if ('url' in ledger || !place.configured || confirmed || isLocal(place.address)) return;
  throw new ConfigError(
    'single-host',
    `Temporal at ${place.address} is on another host, but the ledger is a SQLite file on this one`,
    'If every worker and every command of this ledger runs on this host, confirm that with --single-host. Several hosts share a ledger in PostgreSQL: set REELAY_DATABASE_URL.',
  );
}

function isLocal(address: string): boolean {
  const host = address
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return host === 'localhost' || host === '::1' || /^127\./.test(host) || host.endsWith('.localhost');
}

/**
 * Address of the running sandbox, for a command against it; undefined for a real service, after checking that it has an
 * address.
 * @throws ConfigError
 */
export async function sandboxAddress(settings: Settings): Promise<string | undefined> {
  if (!settings.sandbox) {
    if (settings.accounts.length === 1) settings.baseUrl();
    return undefined;
  }
  const stack = await runningStack(settings);
  if (stack?.sandbox) return stack.sandbox.baseUrl;
  throw new ConfigError(
    'no-sandbox',
    'no sandbox is running',
    'Start one with `reelay up --sandbox`, or use `reelay run MANIFEST --sandbox`.',
  );
}
