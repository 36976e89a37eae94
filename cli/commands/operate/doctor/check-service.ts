import { type AccountRegistry } from '../../../../service/accounts';
import { type Settings } from '../../../config/settings';
import { showDuration } from '../../../../wording/times';
import { plural, safeText } from '../../../terminal/safe-text';
import { type Output } from '../../../terminal/output';
import { explainError } from '../../../errors/explain-error';
import { failed, ok, skipped, warning, type Finding } from './finding';

const NEEDED = ['service', 'profiles', 'platforms', 'clock'] as const;

/** The service with the account's key, what it has, and its clock: one read. */
export async function checkService(settings: Settings, output: Output): Promise<Finding[]> {
  const rest = (why: string): Finding[] => NEEDED.slice(1).map((part) => skipped(part, why));
  const { sandboxAddress, openAccounts } = await import('../../../stack/engine.js');
  let sandbox: string | undefined;
  let baseUrl: string;
  try {
    sandbox = await sandboxAddress(settings);
    baseUrl = sandbox ?? settings.baseUrl();
  } catch (error) {
    if (settings.sandbox)
      return [
        ok('service', 'no sandbox is running; `run --sandbox` and `up --sandbox` start one'),
        ...rest('no sandbox is running'),
      ];
    return [failed('service', error), ...rest('no service is configured')];
  }
  let accounts;
  try {
    output.hide(await settings.apiKey());
    accounts = await openAccounts(settings, sandbox);
  } catch (error) {
    return [unasked(error), ...rest('the service can’t be reached')];
  }
  try {
    const { profiles, aheadMs } = await accounts.get(settings.account).client.probe();
    const seen = new Set(profiles.flatMap((profile) => profile.channels.flatMap((channel) => channel.platform ?? [])));
    return [
      ok('service', `${baseUrl} answers and accepts the key of account ${settings.account}`),
      profiles.length === 0
        ? warning('profiles', 'the account has none', 'Rows need a profile: create one at the service.')
        : ok('profiles', `${plural(profiles.length, 'profile')}: ${namesOf(profiles)}`),
      platforms(settings, [...seen].sort()),
      await clock(aheadMs),
      ...(await otherAccounts(settings, accounts)),
    ];
  } catch (error) {
    const others = await otherAccounts(settings, accounts);
    return [unasked(error), ...rest('the service can’t be reached'), ...others];
  } finally {
    await accounts.close();
  }
}

/**
 * The key's binding is in the ledger: an unreadable ledger is reported by its own check, and says nothing about the
 * service.
 */
function unasked(error: unknown): Finding {
  const finding = failed('service', error);
  return explainError(error).code.startsWith('ledger-') ? skipped('service', 'the ledger can’t be read') : finding;
}

/** Every other configured account, each with its own key. */
async function otherAccounts(settings: Settings, accounts: AccountRegistry): Promise<Finding[]> {
  if (settings.sandbox) return [];
  const names = accounts.names().filter((name) => name !== settings.account);
  return Promise.all(
    names.map(async (name) => {
      try {
        const { profiles } = await accounts.get(name).client.probe();
        return ok('account', `${name}: its service answers and accepts its key; ${plural(profiles.length, 'profile')}`);
      } catch (error) {
        const finding = failed('account', error);
        return { ...finding, message: `${name}: ${finding.message}` };
      }
    }),
  );
}

const NAMES_SHOWN = 10;

function namesOf(profiles: readonly { id: string; name: string | null }[]): string {
  const names = profiles.slice(0, NAMES_SHOWN).map((profile) => safeText(profile.name ?? profile.id));
  return `${names.join(', ')}${profiles.length > NAMES_SHOWN ? ', …' : ''}`;
}

function platforms(settings: Settings, seen: readonly string[]): Finding {
  const configured = settings.platforms.map((platform) => platform.name);
  if (seen.length === 0)
    return warning(
      'platforms',
      'no channel of the account names a platform',
      'Connect a channel to a profile at the service.',
    );
  const shown = `the account has channels on ${seen.map(safeText).join(', ')}`;
  // The sandbox's platforms are fixed: one of them has a kind that no manifest can use, as in real accounts.
  if (settings.sandbox) return ok('platforms', shown);
  const unseen = configured.filter((name) => !seen.includes(name));
  const unnamed = seen.filter((name) => !configured.includes(name));
  if (unseen.length === 0 && unnamed.length === 0) return ok('platforms', shown);
  const parts = [
    ...(unseen.length === 0 ? [] : [`no channel is on ${unseen.join(', ')}`]),
    ...(unnamed.length === 0 ? [] : [`${unnamed.map(safeText).join(', ')} can’t be used in manifests`]),
  ];
  return warning(
    'platforms',
    `${shown}; ${parts.join('; ')}`,
    'Add those that rows use as `platforms: [{name: …, kind: short|long}]` in reelay.config.yaml; ignore the others.',
  );
}

async function clock(aheadMs: number | null): Promise<Finding> {
  const { CLOCK_OFF_MS } = await import('../../../../submissions/prepare-submission.js');
  if (aheadMs === null) return skipped('clock', 'the service doesn’t send its time');
  if (Math.abs(aheadMs) < CLOCK_OFF_MS) return ok('clock', 'agrees with the service’s clock');
  const way = aheadMs > 0 ? 'behind' : 'ahead of';
  return warning(
    'clock',
    `this machine’s is ${showDuration(Math.abs(aheadMs))} ${way} the service’s`,
    'Rows with a time are sent early or late by that much: set the clock (timedatectl set-ntp true).',
  );
}
