import { type SeenWorker, type TemporalInspection } from '../../../../temporal/inspect-temporal';
import { type Settings } from '../../../config/settings';
import { showDuration } from '../../../../wording/times';
import { safeText } from '../../../terminal/safe-text';
import { endedProcesses } from './ended-processes';
import { unservedFiles } from './unserved-files';
import { failed, ok, skipped, warning, wrong, type Finding } from './finding';

const DAY_MS = 86_400_000;
const SHORT_RETENTION_MS = 7 * DAY_MS;
const REST = ['retention', 'search-attributes', 'workers'] as const;

/** Temporal, its namespace and the workers of the ledger; if none is configured, whether a run could start one. */
export async function checkTemporal(
  settings: Settings,
  { ledgerId, version, readable }: { ledgerId: string | null; version: string; readable: boolean },
): Promise<Finding[]> {
  const { locateTemporal, connect, runningStack } = await import('../../../stack/engine.js');
  const rest = (why: string): Finding[] => REST.map((part) => skipped(part, why));
  let place;
  try {
    place = await locateTemporal(settings);
  } catch (error) {
    return [failed('temporal', error), ...rest('Temporal can’t be reached')];
  }
  if (!place.configured && (await runningStack(settings)) === null) {
    const binary = await checkBinary();
    const none = ok('temporal', 'not running, and none is configured: `reelay run` and `reelay up` start one');
    return [none, binary, ...rest('no Temporal is running')];
  }
  try {
    const temporal = await connect(place);
    try {
      const { inspectTemporal } = await import('../../../../temporal/inspect-temporal.js');
      const seen = await inspectTemporal(temporal.client, ledgerId);
      const server = seen.serverVersion === null ? '' : `, server ${seen.serverVersion}`;
      return [
        ok('temporal', `${place.address}, namespace ${place.namespace}${server}`),
        ...(place.configured ? [] : [await checkBinary()]),
        retention(seen),
        await searchAttributes(seen),
        ...lostRuns(seen),
        workers(seen.workers, {
          ended: readable ? await endedProcesses(settings, seen.workers) : [],
          ...{ ledgerId, version, configured: place.configured },
        }),
        ...(readable ? await unservedFiles(settings, temporal.client) : []),
      ];
    } finally {
      await temporal.close();
    }
  } catch (error) {
    return [failed('temporal', error), ...rest('Temporal can’t be reached')];
  }
}

async function checkBinary(): Promise<Finding> {
  const { findTemporal } = await import('../../../../embedded/binary/find-temporal.js');
  const { env } = process;
  const notices: string[] = [];
  try {
    const found = await findTemporal({
      env: { ...env, REELAY_TEMPORAL_DOWNLOAD: 'never' },
      onNotice: (text) => void notices.push(text),
    });
    const text = `${found.path}, version ${found.version} (from ${found.source})`;
    if (notices.length > 0)
      return warning('binary', notices.join(' '), 'Use a newer one, or unset REELAY_TEMPORAL_BIN.');
    return ok('binary', text);
  } catch (error) {
    const named = env.REELAY_TEMPORAL_BIN !== undefined && env.REELAY_TEMPORAL_BIN !== '';
    if (named || env.REELAY_TEMPORAL_DOWNLOAD === 'never') {
      const why = error instanceof Error ? error.message : String(error);
      return wrong(
        'binary',
        why,
        'Set REELAY_TEMPORAL_BIN to a Temporal CLI, or use a Temporal of your own (TEMPORAL_ADDRESS).',
        7,
      );
    }
    return ok(
      'binary',
      'the Temporal server is not on this machine yet; the first run downloads it (once, about 50 MB)',
    );
  }
}

function retention({ retentionMs }: TemporalInspection): Finding {
  const text = `Temporal keeps ended runs for ${showDuration(retentionMs)}`;
  if (retentionMs === 0) return skipped('retention', 'Temporal doesn’t say');
  if (retentionMs >= SHORT_RETENTION_MS) return ok('retention', text);
  return warning(
    'retention',
    text,
    'The ledger keeps outcomes permanently; for the Web UI, raise it: temporal operator namespace update --retention 90d',
  );
}

async function searchAttributes(seen: TemporalInspection): Promise<Finding> {
  const { SEARCH_ATTRIBUTES } = await import('../../../../temporal/search-attributes.js');
  const names = Object.entries(SEARCH_ATTRIBUTES) as [keyof typeof SEARCH_ATTRIBUTES, string][];
  if (seen.searchAttributes === null)
    return warning(
      'search-attributes',
      'this Temporal doesn’t show whether they are registered',
      'Runs work without them; if you can, register those in docs/tasks/production.md to filter the Web UI’s list.',
    );
  const missing = names.filter(([name]) => !seen.searchAttributes?.includes(name));
  if (missing.length === 0)
    return ok('search-attributes', `the Web UI can filter by ${names.map(([name]) => name).join(', ')}`);
  const types: Readonly<Record<string, string>> = { KEYWORD: 'Keyword', INT: 'Int' };
  const flags = missing.map(([name, type]) => `--name ${name} --type ${types[type] ?? type}`).join(' ');
  return warning(
    'search-attributes',
    `${missing.map(([name]) => name).join(', ')} not registered: runs work, but the Web UI’s list can’t be filtered by them`,
    `temporal operator search-attribute create ${flags}`,
  );
}

/** Runs that occupy their campaigns' workflow ids, belong to another ledger, and can neither continue nor end. */
function lostRuns({ lostRuns: lost }: TemporalInspection): Finding[] {
  if (lost.length === 0) return [];
  const shown = lost
    .slice(0, 5)
    .map(({ workflowId, ledgerId }) => `${safeText(workflowId)} (ledger ${safeText(ledgerId)})`);
  const more = lost.length > shown.length ? ` and ${String(lost.length - shown.length)} more` : '';
  return [
    warning(
      'lost-runs',
      `open in Temporal for a ledger that no worker uses: ${shown.join(', ')}${more}`,
      'If that ledger was lost, run the campaign’s manifest again: it ends the old run and starts a new one.',
    ),
  ];
}

/** `process 12131 on web-1 (reelay/0.1.0)`, from the identity that a worker sets. */
function workerText(identity: string): string {
  const [, program, pid, host] = /^(reelay\/\S+) (\d+)@[^/]+\/([^/]+)/u.exec(identity) ?? [];
  return safeText(pid === undefined ? identity : `process ${pid} on ${String(host)} (${String(program)})`);
}

function ago(at: string): string {
  const ms = Date.now() - Date.parse(at);
  return Number.isNaN(ms) ? safeText(at) : `${showDuration(Math.max(0, ms))} ago`;
}

function workers(
  seen: readonly SeenWorker[],
  facts: {
    /** Workers whose process has ended: Temporal still lists them for a while. */
    ended: readonly SeenWorker[];
    ledgerId: string | null;
    version: string;
    configured: boolean;
  },
): Finding {
  if (facts.ledgerId === null) return skipped('workers', 'there is no ledger yet');
  const there = seen.filter((worker) => !facts.ended.includes(worker));
  const gone = facts.ended.map(
    ({ identity, lastSeen }) => `${workerText(identity)} has ended (last seen ${ago(lastSeen)})`,
  );
  if (there.length === 0) {
    const text = ['none is running for this ledger', ...gone].join('; ');
    return facts.configured
      ? warning('workers', text, 'Start one: `reelay worker`. `reelay run` starts its own.')
      : ok('workers', `${text}; \`reelay run\` starts its own`);
  }
  const shown = [
    ...there.map((worker) => `${workerText(worker.identity)}, seen ${ago(worker.lastSeen)}`),
    ...gone,
  ].join('; ');
  const others = there.filter((worker) => worker.version !== facts.version);
  if (others.length === 0) return ok('workers', shown);
  return warning(
    'workers',
    `${shown}; this is version ${facts.version}`,
    'Workers and commands of different versions: stop the older workers (they end what is open) and start them with this version.',
  );
}
