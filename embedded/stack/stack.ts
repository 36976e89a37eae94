import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../../host/process-identity';
import { connectControl, type ControlConnection } from './control-socket';
import { HomeBusyError } from '../errors';
import { prepareHome, readRecord, type StackRecord, tryOwnHome } from './home';
import { ownStack } from './owned-stack';
import { type Stack, type StackOptions } from './stack-types';

export { type Stack, type StackOptions } from './stack-types';

const NEVER = new Promise<never>(() => undefined);

/**
 * The home's stack: started if no process runs it, otherwise joined. Of several processes at once, one becomes its
 * owner and the others wait for it. A killed owner's home is taken over at once; a stopped owner's is not.
 * @throws StackStartError, BinaryNotFoundError if it can't be started
 * @throws HomeBusyError if the home's owner doesn't answer, or runs another namespace or no sandbox
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  if (options.temporalAddress !== undefined && !options.sandbox) return nothingToRun(options, options.temporalAddress);
  await prepareHome(options.home);
  let silentFor = 0;
  let said = false;
  while (true) {
    const lock = tryOwnHome(options.home);
    if (lock !== null) return ownStack(options, lock);
    const record = await readRecord(options.home);
    if (record?.state === 'ready' && record.controlSocket !== null) {
      const answerMs = 2_000;
      const connection = await connectControl(record.controlSocket, answerMs);
      if (typeof connection === 'object') return attached(options, record, connection);
      if (connection === 'silent') silentFor += answerMs;
      if (silentFor >= (options.silentMs ?? 15_000)) throw silentOwner(options.home, record);
    }
    if (!said && record !== null && isProcessAlive(record.owner) !== 'dead') {
      said = true;
      options.onNotice(
        `Waiting for process ${record.owner.pid}, which is ${doing(record)} the stack in ${options.home} …`,
      );
    }
    await sleep(50);
  }
}

function doing(record: StackRecord): string {
  return { starting: 'starting', ready: 'holding', stopping: 'stopping' }[record.state];
}

function silentOwner(home: string, record: StackRecord): HomeBusyError {
  const { pid } = record.owner;
  return new HomeBusyError(
    `Process ${pid} holds ${home} and does not answer: it may be stopped.`,
    `Let it continue (kill -CONT ${pid}), or end it (kill -9 ${pid}) and start again.`,
  );
}

function attached(options: StackOptions, record: StackRecord, connection: ControlConnection): Stack {
  const { info } = connection;
  const conflict = conflictOf(options, connection);
  if (conflict !== null) {
    connection.close();
    throw new HomeBusyError(
      `Process ${record.owner.pid} runs a stack in ${options.home}, and ${conflict}.`,
      `Use another home (REELAY_HOME), or stop it: kill ${record.owner.pid}`,
    );
  }
  return {
    role: 'attached',
    temporal: { ...info.temporal, namespace: info.namespace },
    sandbox: info.sandbox,
    ownerGone: connection.closed,
    broken: NEVER,
    attachedCount: () => 0,
    release: async () => connection.close(),
  };
}

function conflictOf(options: StackOptions, { info }: ControlConnection): string | null {
  if (info.namespace !== options.namespace) {
    return `its namespace is ${info.namespace}, not ${options.namespace}`;
  }
  if (options.temporalAddress !== undefined && options.temporalAddress !== info.temporal.address) {
    return `its Temporal is ${info.temporal.address}, not ${options.temporalAddress}`;
  }
  if (options.sandbox && info.sandbox === null) return 'it has no sandbox';
  if (!options.sandbox && info.sandbox !== null) return 'it is a sandbox stack';
  return null;
}

function nothingToRun(options: StackOptions, address: string): Stack {
  return {
    role: 'owner',
    temporal: { address, namespace: options.namespace, webUi: null },
    sandbox: null,
    ownerGone: NEVER,
    broken: NEVER,
    attachedCount: () => 0,
    release: async () => undefined,
  };
}
