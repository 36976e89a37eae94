import { type RowValues } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';

/**
 * What a listed publication says about being a row's: `match` needs an echoed title that equals the row's, and nothing
 * else that is shown may differ; `possible` shows too little to tell; `no` contradicts.
 */
export type Evidence = 'match' | 'possible' | 'no';

/** Compares what the service shows (sections 2.3 and 4.5: only id, platform and status are certain) with what was sent. */
export function weigh(values: RowValues, claimedAt: number, publication: Publication): Evidence {
  if (differs(publication.platform, values.platform)) return 'no';
  if (differs(publication.profileId, values.profileId)) return 'no';
  if (differs(publication.title, values.title)) return 'no';
  if (differs(publication.description, values.description)) return 'no';
  if (createdBefore(publication.createdAt, claimedAt)) return 'no';
  if (differs(publication.privacy, values.privacy)) return 'no';
  if ((publication.status === 'draft') !== (values.status === 'draft') && publication.status !== null) return 'no';
  return values.title !== null && publication.title === values.title ? 'match' : 'possible';
}

/** The publications that weigh so, by id, in their order. `claimedAt`: ms since the epoch. */
export function idsThat(
  evidence: Evidence,
  values: RowValues,
  claimedAt: number,
  shown: readonly Publication[],
): string[] {
  return shown.filter((one) => weigh(values, claimedAt, one) === evidence).map((one) => one.id);
}

/** Only a field that the service shows and that was sent can contradict. */
function differs(shown: string | null | undefined, sent: string | null): boolean {
  return shown !== undefined && shown !== null && sent !== null && shown !== sent;
}

/** The two clocks may be apart; a publication made clearly earlier is not ours. */
const CLOCK_SLACK_MS = 10 * 60_000;

function createdBefore(createdAt: string | null | undefined, claimedAt: number): boolean {
  if (createdAt === undefined || createdAt === null) return false;
  const at = Date.parse(createdAt);
  return !Number.isNaN(at) && at < claimedAt - CLOCK_SLACK_MS;
}
