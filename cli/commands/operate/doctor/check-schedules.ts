import { type Firing, type StoredSchedule } from '../../../../ledger/model/firing-types';
import { type Settings } from '../../../config/settings';
import { plural } from '../../../terminal/safe-text';
import { type RemoteSchedule } from '../../schedule/remote';
import { ok, skipped, warning, type Finding } from './finding';

const PART = 'schedules';
const BAD: readonly string[] = ['refused', 'failed', 'stopped'];

/** What keeps a schedule from publishing; the ledger is only read. */
export async function checkSchedules(settings: Settings, readable: boolean): Promise<Finding[]> {
  if (!readable) return [skipped(PART, 'there is no ledger that can be read yet')];
  const { locateTemporal, connect, openForReading } = await import('../../../stack/engine.js');
  const ledger = await openForReading(settings);
  try {
    const kept = await ledger.firings.schedules();
    if (kept.length === 0) return [ok(PART, 'none')];
    const temporal = await locateTemporal(settings)
      .then(connect)
      .catch(() => null);
    if (temporal === null) return [skipped(PART, `${plural(kept.length, 'schedule')}, but Temporal can’t be reached`)];
    try {
      const { findRemote } = await import('../../schedule/remote.js');
      const findings: Finding[] = [];
      for (const one of kept) {
        const remote = await findRemote(temporal.client, one.name);
        const [last] = await ledger.firings.ended(one.name, 1);
        const found = await troubleOf(one, remote, last);
        if (found !== null) findings.push(found);
      }
      const good = kept.length - findings.length;
      return good === 0 ? findings : [ok(PART, `${plural(good, 'schedule')}, no problem found`), ...findings];
    } finally {
      await temporal.close();
    }
  } finally {
    await ledger.close();
  }
}

async function troubleOf(
  { name }: StoredSchedule,
  remote: RemoteSchedule | null,
  last: Firing | undefined,
): Promise<Finding | null> {
  if (remote === null)
    return warning(
      PART,
      `${name} no longer exists in Temporal, so it doesn’t fire`,
      `Create it again (\`reelay schedule create ${name} …\`), or \`reelay schedule delete ${name}\`.`,
    );
  const { state } = remote.description;
  const { manifest } = remote.input.definition;
  const { existsSync } = await import('node:fs');
  if (manifest.kind === 'path' && !existsSync(manifest.path))
    return warning(
      PART,
      `${name}: its manifest ${manifest.path} isn’t there on this machine`,
      `Restore it, or: reelay schedule update ${name} MANIFEST. The workers must be able to read it.`,
    );
  if (state.paused)
    return warning(
      PART,
      `${name} is paused${state.note ? ` (${state.note})` : ''}`,
      `Once it is fixed: reelay schedule unpause ${name}`,
    );
  if (last !== undefined && BAD.includes(last.outcome))
    return warning(
      PART,
      `${name}: its last firing (${last.key}) was ${last.outcome}: ${last.reason ?? ''}`,
      `reelay schedule show ${name}`,
    );
  return null;
}
