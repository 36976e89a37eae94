import { type Ledger } from '../../ledger/ledger';
import { type Output } from '../terminal/output';

/** Has times shown in the zone of a campaign's manifest; the machine's stays where it names none. */
export async function useZoneOf(output: Output, ledger: Pick<Ledger, 'zoneOf'>, campaign: string): Promise<void> {
  const zone = await ledger.zoneOf(campaign);
  if (zone !== null) output.zone = zone;
}
