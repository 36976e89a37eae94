import { type PaceSettings } from '../../manifests/settings/pace';
import { type Config } from './config';
import { ConfigError } from '../errors/errors';
import { parseDuration } from '../../wording/duration';

/** Top-level manifest settings given by the config. */
export interface ConfiguredCampaign {
  late?: 'publish' | 'hold' | 'skip';
  giveUpAfterMs?: number;
  ambiguous?: 'reconcile' | 'hold';
  repeat?: 'refuse' | 'allow';
  pace?: readonly PaceSettings[];
  dateFormat?: string;
  columns?: Readonly<Record<string, string>>;
}

export async function campaignSettings(config: Config, path: string | null): Promise<ConfiguredCampaign> {
  const giveUpAfterMs = config.give_up_after === undefined ? undefined : parseDuration(config.give_up_after);
  return {
    ...(config.late === undefined ? {} : { late: config.late }),
    ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
    ...(config.date_format === undefined ? {} : { dateFormat: config.date_format }),
    ...(config.columns === undefined ? {} : { columns: config.columns }),
    ...(config.ambiguous === undefined ? {} : { ambiguous: config.ambiguous }),
    ...(config.repeat === undefined ? {} : { repeat: config.repeat }),
    ...(await configuredPace(config, path)),
  };
}

/** The config's pace: first what applies to all, then each account's own, then what names channels. */
async function configuredPace(config: Config, path: string | null): Promise<Pick<ConfiguredCampaign, 'pace'>> {
  const { pace, tolerate, canary, accounts = {} } = config;
  const given = Object.entries({ pace, tolerate, canary }).filter(([, value]) => value !== undefined && value !== null);
  const own = Object.entries(accounts).filter(([, account]) => account.pace !== undefined);
  if (given.length === 0 && own.length === 0) return {};
  const { readPace, readPaceValue } = await import('../../manifests/settings/pace.js');
  const reading = <T>(name: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw new ConfigError('config-file', `config ${path ?? ''}: ${name} ${(error as Error).message}`);
    }
  };
  const layer: PaceSettings = {};
  for (const [name, value] of given) {
    Object.assign(
      layer,
      reading(name, () => (name === 'pace' ? readPace(value) : readPaceValue(name, value))),
    );
  }
  const read = own.map(([name, account]) => {
    const { channels = [], ...general } = reading(`accounts.${name}.pace`, () => readPace(account.pace));
    const named = channels.map((one) => ({ ...one, match: { ...one.match, account: name } }));
    return { general: { ...general, match: { account: name } }, named };
  });
  const channels = [
    ...read.map(({ general }) => general),
    ...(layer.channels ?? []),
    ...read.flatMap(({ named }) => named),
  ];
  return { pace: [channels.length === 0 ? layer : { ...layer, channels }] };
}
