import { type Ledger } from '../../../ledger/ledger';
import { type ScheduleServer } from '../../../activities/schedules/schedule-server';
import { type TemporalConnection } from '../../../temporal/connect';
import { type TemporalPlace } from '../../stack/engine';
import { type Output } from '../../terminal/output';
import { type Settings } from '../../config/settings';
import { type ScheduleFlags } from './definition/flags';

/** What every action of `schedule` works with. */
export interface ScheduleContext {
  output: Output;
  settings: Settings;
  flags: ScheduleFlags;
  place: TemporalPlace;
  temporal: TemporalConnection;
  ledger: Ledger;
  server: ScheduleServer;
  /** user@host */
  by: string;
}

/** Opens what the actions need, and closes it afterwards. */
export async function withSchedules<T>(
  input: Pick<ScheduleContext, 'output' | 'settings' | 'flags'>,
  work: (context: ScheduleContext) => Promise<T>,
): Promise<T> {
  const engine = await import('../../stack/engine.js');
  const found = await engine.locateTemporal(input.settings);
  // A rehearsal of a schedule that isn't kept needs a Temporal to compute its times for this command only.
  const own = found.nowhere === true && input.settings.sandbox && input.flags.dryRun === true;
  const { openOwnStack } = await import('../../stack/embedded-stack.js');
  const { stack, place } = own ? await openOwnStack(input.settings, input.output) : { stack: null, place: found };
  try {
    return await withPlace(input, place, work);
  } finally {
    await stack?.release();
  }
}

async function withPlace<T>(
  input: Pick<ScheduleContext, 'output' | 'settings' | 'flags'>,
  place: TemporalPlace,
  work: (context: ScheduleContext) => Promise<T>,
): Promise<T> {
  const [engine, { createScheduleServer }, { whoAmI }] = await Promise.all([
    import('../../stack/engine.js'),
    import('../../../temporal/schedule-server.js'),
    import('../../config/settings.js'),
  ]);
  engine.demandSingleHost(place, input.settings.ledger, input.flags.singleHost ?? false);
  const temporal = await engine.connect(place);
  try {
    const ledger = await engine.openOwnLedger(input.settings);
    try {
      const server = createScheduleServer(temporal.client, ledger);
      return await work({ ...input, place, temporal, ledger, server, by: await whoAmI() });
    } finally {
      await ledger.close();
    }
  } finally {
    await temporal.close();
  }
}
