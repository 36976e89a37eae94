import { type DirectPublish } from '../../ledger/publications/direct-publishes';
import { type Publication } from '../../service/api/publication';
import { weigh } from './evidence';

/** What an account's direct publishes are to the publications that nobody owns. */
export interface DirectRivals {
  /** Those that are none of them by their ids. */
  others: Publication[];
  /** How many direct publishes a publication could be as well. */
  rivalsFor: (ids: readonly string[]) => number;
}

/**
 * A service may list direct publishes as publications (the interface doesn't show it, section 4.8). Under the id that was
 * acknowledged they are known; under another one they could be what is looked for, and then nothing tells the two apart.
 */
export function directRivals(direct: readonly DirectPublish[], unowned: readonly Publication[]): DirectRivals {
  const acknowledged = new Set(direct.map(({ publishId }) => publishId));
  const others = unowned.filter(({ id }) => !acknowledged.has(id));
  const listed = new Set(unowned.map(({ id }) => id));
  const unplaced = direct.filter(({ publishId }) => publishId === null || !listed.has(publishId));
  const rivalsFor = (ids: readonly string[]): number => {
    const shown = others.filter(({ id }) => ids.includes(id));
    return unplaced.filter(({ values }) => shown.some((one) => weigh(values, 0, one) !== 'no')).length;
  };
  return { others, rivalsFor };
}
