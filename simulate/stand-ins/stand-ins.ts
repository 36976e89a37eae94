import Module from 'node:module';
import { replaceRealTime, VIRTUAL_TIMERS } from '../clock/virtual-time';
import { NotedDatabase } from './databases';
import { virtualDisk } from './disk';
import { childProcessStandIn, killCommand, undiciStandIn } from './outside';
import { userDisk } from './user-files';
import { ACTIVITY_STAND_IN } from '../temporal/activity-stand-in';
import { WORKFLOW_STAND_IN } from '../temporal/workflow-stand-in';

type Load = (request: string, parent: { filename?: string } | undefined, isMain: boolean) => unknown;

/** The module that stores answers on disk. */
const SPOOL = /[/\\]activities[/\\]publish[/\\]/u;
/** The module that sends notices. */
const NOTICES = /[/\\]activities[/\\]notices[/\\]/u;
/** The modules that read videos and manifests. */
const READERS = /[/\\](?:service[/\\]upload|manifests|submissions|activities[/\\]schedules)[/\\]/u;

/**
 * Makes the program's own files load replacements for Temporal, and its spool one for the disk. A process that loads
 * this first only simulates: see `child.ts`.
 */
function install(): void {
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, parent, isMain) => {
    if (request === '@temporalio/workflow') return WORKFLOW_STAND_IN;
    if (request === '@temporalio/activity') return ACTIVITY_STAND_IN;
    if (request === 'node:timers/promises') return VIRTUAL_TIMERS;
    if (request === 'libsql') return NotedDatabase;
    const from = parent?.filename ?? '';
    if (request === 'undici' && NOTICES.test(from)) return undiciStandIn;
    if (request === 'node:child_process' && NOTICES.test(from)) return childProcessStandIn;
    if (request === 'node:fs/promises' && SPOOL.test(from)) return virtualDisk;
    if (request === 'node:fs/promises' && READERS.test(from)) return userDisk;
    return load(request, parent, isMain);
  };
  replaceRealTime();
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => killCommand(pid) || kill(pid, signal);
}

install();
