import { type DirectPublish } from '../../ledger/publications/direct-publishes';
import { type Publication } from '../../service/api/publication';
import { type LostCreate } from './weigh-account';

/**
 * A service may list direct publishes as publications (the interface doesn't show it, section 4.8). Under the id that
 * was acknowledged they are known: `others` are the publications that are not among them. Under another id they could
 * be the publication that is looked for: `claimants` are the direct publishes that the list doesn't show under their
 * own id.
 */
export function directRivals(
  direct: readonly DirectPublish[],
  unowned: readonly Publication[],
): { others: Publication[]; claimants: LostCreate[] } {
  const acknowledged = new Set(direct.map(({ publishId }) => publishId));
  const others = unowned.filter(({ id }) => !acknowledged.has(id));
  const listed = new Set(unowned.map(({ id }) => id));
  const unplaced = direct.filter(({ publishId }) => publishId === null || !listed.has(publishId));
  const claimants = unplaced.map(({ values }, at) => ({ id: `direct/${at}`, values, knownBefore: new Set<string>() }));
  return { others, claimants };
}
