import { type GivenFlag } from '../../ledger/model/submission-types';
import { type ManifestReading } from '../../manifests/types';
import { mergedRules, ruleFlagPairs } from './pace-flags';

/**
 * The settings and defaults at the top of a YAML as flags: a sheet with some of its rows, which is a CSV, has no other
 * place for them. What a flag sets already is left out; pace of single channels has no flags.
 */
export function settingsAsFlags({ own }: Pick<ManifestReading, 'own'>, given: readonly GivenFlag[]): GivenFlag[] {
  if (own === undefined) return [];
  const { settings, defaults } = own;
  const { timezone, dateFormat, late, giveUpAfterMs, ambiguous, repeat, columns = {}, pace = [] } = settings;
  const flags: (readonly [string, string | undefined])[] = [
    ['--timezone', timezone],
    ['--date-format', dateFormat],
    ['--late', late],
    ['--give-up-after', giveUpAfterMs === undefined ? undefined : `${String(giveUpAfterMs / 1000)}s`],
    ['--ambiguous', ambiguous],
    ['--repeat', repeat],
    ...Object.entries(columns).map(([header, field]) => ['--column', `${header}=${field}`] as const),
    ...Object.entries(defaults).map(([field, value]) => ['--default', `${field}=${value}`] as const),
    ...ruleFlagPairs(mergedRules(pace)).map(([flag = '', value]) => [flag, value] as const),
  ];
  // A header or field that a flag names too is the flag's, which comes last.
  const taken = new Set(given.map(([flag]) => flag).filter((flag) => flag !== '--column' && flag !== '--default'));
  return flags.flatMap(([flag, value]): GivenFlag[] =>
    value === undefined || value === '' || taken.has(flag) ? [] : [[flag, value]],
  );
}
