import { resolve } from 'node:path';
import { type Client } from '@temporalio/client';
import { type Ledger } from '../../../ledger/ledger';
import { timingText } from '../../../manifests/settings/schedule-timing';
import { type ManifestSource } from '../../submission/manifest-flags';
import { type Output } from '../../terminal/output';
import { type Settings } from '../../config/settings';

/** Warns about a schedule that was created from this file's `schedule:`, which the file no longer has: it still fires. */
export async function warnForgotten(
  output: Output,
  { client, ledger, source }: { client: Client; ledger: Ledger; source: ManifestSource },
): Promise<void> {
  if (!('path' in source)) return;
  const path = resolve(source.path);
  const schedules = await ledger.firings.schedules();
  if (schedules.length === 0) return;
  // Temporal's client takes 30 MB, which a command without schedules doesn't need.
  const { findRemote } = await import('./remote.js');
  for (const { name } of schedules) {
    const remote = await findRemote(client, name);
    if (remote === null || remote.input.ledgerId !== ledger.id || remote.input.inManifest !== true) continue;
    const { timing, definition } = remote.input;
    if (definition.manifest.kind !== 'path' || definition.manifest.path !== path) continue;
    const paused = remote.description.state.paused ? ' (paused now)' : '';
    output.warn(
      `the schedule “${name}” was created from this file, which no longer has schedule:. It still fires, ${timingText(timing)}${paused}. ` +
        `To stop it: reelay schedule delete ${name}, or: reelay schedule pause ${name}`,
    );
  }
}

/** The same for `plan`, which doesn't require Temporal: no warning if none can be reached. */
export async function findForgotten(
  output: Output,
  { settings, ledger, source }: { settings: Settings; ledger: Ledger; source: ManifestSource },
): Promise<void> {
  const { firings } = ledger;
  if (!('path' in source) || (await firings.schedules()).length === 0) return;
  const { findSchedule } = await import('../../../manifests/find-schedule.js');
  if ((await findSchedule(source)) !== null) return;
  const { locateTemporal, connect } = await import('../../stack/engine.js');
  const temporal = await locateTemporal(settings)
    .then(connect)
    .catch(() => null);
  if (temporal === null) return;
  try {
    await warnForgotten(output, { client: temporal.client, ledger, source });
  } finally {
    await temporal.close();
  }
}
