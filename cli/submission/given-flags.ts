import { resolve } from 'node:path';
import { type GivenFlag } from '../../ledger/model/submission-types';
import { type SubmitFlags } from './submit-flags';

/**
 * The flags that set how a manifest is read, and what is accepted in it. Trials and one-time confirmations are not
 * included.
 */
const FLAGS = [
  ['campaign', '--campaign'],
  ['account', '--account'],
  ['timezone', '--timezone'],
  ['dateFormat', '--date-format'],
  ['column', '--column'],
  ['default', '--default'],
  ['encoding', '--encoding'],
  ['delimiter', '--delimiter'],
  ['sheet', '--sheet'],
  ['strict', '--strict'],
  ['past', '--past'],
  ['late', '--late'],
  ['giveUpAfter', '--give-up-after'],
  ['ambiguous', '--ambiguous'],
  ['repeat', '--repeat'],
  ['template', '--template'],
  ['missing', '--missing'],
  ['concurrency', '--concurrency'],
  ['minGap', '--min-gap'],
  ['maxPer', '--max-per'],
  ['hours', '--hours'],
  ['createsPerSecond', '--creates-per-second'],
  ['createsPerMinute', '--creates-per-minute'],
  ['parkAfter', '--park-after'],
  ['tolerate', '--tolerate'],
  ['canary', '--canary'],
  ['prune', '--prune'],
  ['keep', '--keep'],
  ['rekey', '--rekey'],
  ['acceptDifferences', '--accept-differences'],
  ['skipInvalid', '--skip-invalid'],
  ['once', '--once'],
] as const satisfies readonly (readonly [keyof SubmitFlags, string])[];

/** The same flags as a command has them. */
export function flagsOf(given: readonly GivenFlag[]): SubmitFlags {
  const flags: Record<string, string | true | string[]> = {};
  for (const [flag, value] of given) {
    const name = FLAGS.find(([, known]) => known === flag)?.[0];
    if (name === undefined) continue;
    const earlier = flags[name];
    if (!REPEATABLE.has(name)) flags[name] = value ?? true;
    else if (value !== undefined) flags[name] = Array.isArray(earlier) ? [...earlier, value] : [value];
  }
  return flags;
}

const REPEATABLE: ReadonlySet<string> = new Set<keyof SubmitFlags>(['column', 'default', 'maxPer', 'hours']);

/** The flags of a command as the ledger stores them, so that every later command can repeat them. */
export function givenFlags(flags: SubmitFlags & { config?: string; baseUrl?: string }): GivenFlag[] {
  const given = FLAGS.flatMap(([name, flag]): GivenFlag[] =>
    [flags[name] ?? []].flat().flatMap((value): GivenFlag[] => {
      if (typeof value === 'boolean') return value ? [[flag]] : [];
      return [[flag, value]];
    }),
  );
  const { config, baseUrl } = flags;
  return [
    ...given,
    ...(config === undefined ? [] : [['--config', resolve(config)] as const]),
    ...(baseUrl === undefined ? [] : [['--base-url', baseUrl] as const]),
  ];
}
