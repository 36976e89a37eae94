import { type Ledger } from '../../ledger/ledger';
import { type Output } from '../terminal/output';

/** Shows times in the zone of a campaign's manifest, or in the machine's if it names none. */
export async function useZoneOf(output: Output, ledger: Pick<Ledger, 'zoneOf'>, campaign: string): Promise<void> {
  const zone = await ledger.zoneOf(campaign);
  if (zone !== null) output.zone = zone;
}
