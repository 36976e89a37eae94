import { currentProcess } from '../../host/process-identity';
import { type ControlServer, listenControl, type StackInfo } from './control-socket';
import { findTemporal, knowsNewsOption } from '../binary/find-temporal';
import { readRecord, removeRecord, type RecordedProcess, type StackRecord, writeRecord } from './home';
import { type SupervisedProcess } from '../server/supervised-process';
import { type OsLock } from '../../host/os-lock';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process';
import { type Stack, type StackOptions } from './stack-types';
import { endStaleProcesses } from './stale-processes';
import { startTemporalServer, type TemporalServer } from '../server/temporal-server';

/** Starts what the options request in a home that this process holds. If that fails, the lock is released. */
export async function ownStack(options: StackOptions, lock: OsLock): Promise<Stack> {
  const parts: { temporal?: TemporalServer; sandbox?: SandboxProcess; control?: ControlServer } = {};
  const earlier = await readRecord(options.home);
  const record: StackRecord = {
    version: 1,
    state: 'starting',
    owner: currentProcess(),
    startedAt: new Date().toISOString(),
    namespace: options.namespace,
    temporal: null,
    sandbox: null,
    // Processes that an earlier stack left stay in the record until they have ended.
    processes: earlier?.processes ?? [],
    controlSocket: null,
  };
  try {
    await writeRecord(options.home, record);
    await endStaleProcesses(options.home, earlier, options.onNotice);
    record.processes = [];
    const keep = async (...processes: RecordedProcess[]): Promise<void> => {
      record.processes = [...record.processes, ...processes];
      await writeRecord(options.home, record);
    };
    const startTemporal = async (): Promise<void> => {
      if (options.temporalAddress !== undefined) return;
      const { path, source } = await findTemporal({ onNotice: options.onNotice });
      const newsOption = await knowsNewsOption(path, source);
      const { home, namespace, onNotice } = options;
      const ports = options.ports === undefined ? {} : { ports: options.ports };
      const onSpawn = (kept: SupervisedProcess): Promise<void> => keep(...recorded(kept));
      parts.temporal = await startTemporalServer({
        binary: path,
        newsOption,
        home,
        namespace,
        onNotice,
        onSpawn,
        ...ports,
      });
    };
    const startSandbox = async (): Promise<void> => {
      if (!options.sandbox) return;
      parts.sandbox = await startSandboxProcess(options.sandbox, options.home);
      await keep({ role: 'sandbox', identity: parts.sandbox.identity });
    };
    // Both are awaited even if one fails: whatever has started has to be stopped.
    const failure = (await Promise.allSettled([startTemporal(), startSandbox()])).find(
      (it) => it.status === 'rejected',
    );
    if (failure) throw failure.reason;
    const info = describe(options, parts);
    parts.control = await listenControl(options.home, info);
    record.state = 'ready';
    record.temporal = info.temporal;
    record.sandbox = info.sandbox && { baseUrl: info.sandbox.baseUrl };
    record.controlSocket = parts.control.path;
    await writeRecord(options.home, record);
    return owned(options, info, parts.control, () => shutDown(options.home, record, parts, lock), parts);
  } catch (error) {
    await shutDown(options.home, record, parts, lock);
    throw error;
  }
}

function recorded(kept: SupervisedProcess): RecordedProcess[] {
  const server: RecordedProcess = { role: 'temporal', identity: kept.identity };
  return kept.supervisor === null ? [server] : [server, { role: 'keeper', identity: kept.supervisor }];
}

function describe(options: StackOptions, parts: { temporal?: TemporalServer; sandbox?: SandboxProcess }): StackInfo {
  return {
    namespace: options.namespace,
    temporal: {
      address: parts.temporal?.address ?? options.temporalAddress ?? '',
      webUi: parts.temporal?.webUi ?? null,
    },
    sandbox: parts.sandbox ? { baseUrl: parts.sandbox.baseUrl, apiKey: parts.sandbox.apiKey } : null,
  };
}

function owned(
  options: StackOptions,
  info: StackInfo,
  control: ControlServer,
  stop: () => Promise<void>,
  parts: { temporal?: TemporalServer; sandbox?: SandboxProcess },
): Stack {
  let releasing: Promise<void> | undefined;
  let force: () => void = () => undefined;
  const forced = new Promise<void>((resolve) => (force = resolve));
  const broken = new Promise<string>((resolve) => {
    const watch = (what: string, gone: Promise<string> | undefined): void => {
      void gone?.then((how) => {
        if (releasing !== undefined) return;
        const text = `The ${what} ${how}; it is not started again.`;
        options.onNotice(text);
        resolve(text);
      });
    };
    watch('embedded Temporal server', parts.temporal?.process.gone);
    watch('sandbox', parts.sandbox?.gone);
  });
  const release = async (): Promise<void> => {
    if (control.count() > 0) {
      options.onNotice(waitingText(control.count()));
      await Promise.race([forced, unattached(control)]);
    }
    await stop();
  };
  return {
    role: 'owner',
    temporal: { ...info.temporal, namespace: info.namespace },
    sandbox: info.sandbox,
    // It is this process itself.
    ownerGone: new Promise(() => undefined),
    broken,
    attachedCount: () => control.count(),
    release(how) {
      if (releasing !== undefined || how?.force) force();
      releasing ??= release();
      return releasing;
    },
  };
}

function waitingText(count: number): string {
  const who = count === 1 ? 'one other process uses' : `${count} other processes use`;
  return `Keeping Temporal running: ${who} it. It stops when the last one ends; interrupt again to stop it now.`;
}

async function unattached(control: ControlServer): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (control.count() === 0) resolve();
    };
    control.onChange(look);
    look();
  });
}

/** The lock is released last: the process that gets it finds nothing running. */
async function shutDown(
  home: string,
  record: StackRecord,
  parts: { temporal?: TemporalServer; sandbox?: SandboxProcess; control?: ControlServer },
  lock: OsLock,
): Promise<void> {
  try {
    if (record.state === 'ready') await writeRecord(home, { ...record, state: 'stopping', controlSocket: null });
    await parts.control?.close();
    await Promise.all([parts.sandbox?.stop(), parts.temporal?.stop()]);
    // After a failed start, earlier processes may still be running; then the record has to stay.
    if (record.state === 'ready' || parts.temporal !== undefined || record.processes.length === 0) {
      await removeRecord(home);
    }
  } finally {
    lock.release();
  }
}
