import { type Timings } from '../../activities/timings';
import { type Settings } from './settings';

/** The timings that workers with these settings use. */
export async function timingsOf({ sandbox, timings }: Settings): Promise<Timings> {
  const { PRODUCTION_TIMINGS, SANDBOX_TIMINGS } = await import('../../activities/timings.js');
  return { ...(sandbox ? SANDBOX_TIMINGS : PRODUCTION_TIMINGS), ...timings };
}
