import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, UserMachine } from './cli-process';

/** Quick, so that a lost create is given up within seconds. */
export const TIMINGS = {
  pollMs: 200,
  pollMaxMs: 1_000,
  settleMs: 1_000,
  lookGapMs: 300,
  reconcileForMs: 2_500,
};

/** A service, and a machine that knows it. */
export interface Settling {
  machine: UserMachine;
  service: RunningSandbox;
}

/** The service shows no titles: lost creates can't be distinguished. */
export async function openSettling(faults: string[]): Promise<Settling> {
  const service = await startSandbox({ apiKey: 'key-of-theirs', faults });
  const machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: 'key-of-theirs',
    REELAY_TIMINGS: JSON.stringify(TIMINGS),
  });
  return { machine, service };
}

/** Gives the commands that a test left behind. */
export async function closeSettling({ machine, service }: Settling): Promise<unknown[]> {
  const left = await processesNaming(machine.folder);
  await service.close();
  await machine.remove();
  return left;
}

/** The commands that a text prints, as a shell would split them. */
export function printedCommands(text: string): string[][] {
  return [...text.matchAll(/^\s+reelay (resolve .+)$/gmu)].map(([, command = '']) => command.split(' '));
}

/** The rows of the campaign `show`. */
export async function recordsOf(machine: UserMachine): Promise<Record<string, string | string[]>[]> {
  const { stdout } = await machine.run(['results', 'show', '-o', 'json']);
  return (JSON.parse(stdout) as { rows: Record<string, string | string[]>[] }).rows;
}
