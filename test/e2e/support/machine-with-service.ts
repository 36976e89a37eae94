import { type SandboxOptions } from '../../../sandbox/options';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, UserMachine } from './cli-process';

/** The key that the machine has and the service asks for. */
const API_KEY = 'key-of-theirs';

export interface MachineWithService {
  readonly machine: UserMachine;
  readonly service: RunningSandbox;
}

/**
 * A user's machine for each test of a file, with this environment, and the service that it publishes to. None of its
 * processes may be left afterwards.
 */
export function machineWithService(
  options: Omit<SandboxOptions, 'apiKey'> = {},
  env: Record<string, string> = {},
): MachineWithService {
  let parts: MachineWithService | null = null;
  beforeEach(async () => {
    const service = await startSandbox({ ...options, apiKey: API_KEY });
    const machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: API_KEY, ...env });
    parts = { machine, service };
  });
  afterEach(async () => {
    if (parts === null) return;
    const { machine, service } = parts;
    parts = null;
    const left = await processesNaming(machine.folder);
    await service.close();
    await machine.remove();
    expect(left).toEqual([]);
  });
  const there = (): MachineWithService => {
    if (parts === null) throw new Error('the machine is there in a test only');
    return parts;
  };
  return {
    get machine() {
      return there().machine;
    },
    get service() {
      return there().service;
    },
  };
}
