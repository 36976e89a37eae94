import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, type RunningCommand, until, UserMachine } from './cli-process';
import { TIMINGS } from './settling';

const FOLDER = join(__dirname, 'fixtures', 'scene');

/** What every campaign of the scene has come to when it is set. */
const STANDING: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  spring: { published: 8, failed: 1, rejected: 1, unconfirmed: 1 },
  summer: { published: 18, processing: 6 },
  weekly: { published: 2, planned: 4 },
  bakery: { published: 1, planned: 2 },
  autumn: { published: 1, cancelled: 2 },
  winter: { published: 4 },
};
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  weekly: ['--max-per', '1 per 24h'],
  autumn: ['--max-per', '1 per 24h'],
};

/** Campaigns in every state that a person meets, in an embedded Temporal with its Web UI. */
export interface Scene {
  machine: UserMachine;
  /** Of the workflows' list. */
  address: string;
  /** Stops it all; the commands that it left behind. */
  close(): Promise<string[]>;
}

export async function openScene(): Promise<Scene> {
  const faults = (await readFile(join(FOLDER, 'faults.txt'), 'utf8')).trim().split('\n');
  const service: RunningSandbox = await startSandbox({ apiKey: 'key-of-theirs', faults, profiles: 10 });
  const machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: 'key-of-theirs',
    // What is parked stays so.
    REELAY_TIMINGS: JSON.stringify({ ...TIMINGS, parkedProbeMs: 60 * 60_000 }),
    USER: 'ops',
  });
  const up = machine.start(['up', '-o', 'json']);
  const close = async () => {
    up.child.kill('SIGINT');
    await up.ended;
    const left = await processesNaming(machine.folder);
    await service.close();
    await machine.remove();
    return left;
  };
  try {
    const { web_ui, namespace } = await answerOf(up);
    const names = Object.keys(STANDING);
    const submit = (name: string) => good(machine, ['submit', join(FOLDER, `${name}.csv`), ...(FLAGS[name] ?? [])]);
    await Promise.all(names.map(submit));
    await until(async () => (await countsOf(machine, 'autumn'))['published'] === 1);
    await good(machine, ['cancel', 'autumn', '--yes']);
    for (const [name, counts] of Object.entries(STANDING))
      await until(async () => JSON.stringify(sorted(await countsOf(machine, name))) === JSON.stringify(sorted(counts)));
    return { machine, address: `${web_ui}/namespaces/${namespace}/workflows`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `up` goes on after its answer. */
async function answerOf(up: RunningCommand): Promise<{ web_ui: string; namespace: string }> {
  let answer: { temporal: { web_ui: string; namespace: string } } | undefined;
  await until(() => {
    if (up.child.exitCode !== null) throw new Error(`up ended: ${up.stderr}`);
    try {
      answer = JSON.parse(up.stdout) as typeof answer;
    } catch {
      // The rest of it is on its way.
    }
    return answer !== undefined;
  });
  if (answer === undefined) throw new Error('up answers nothing');
  return answer.temporal;
}

async function good(machine: UserMachine, args: readonly string[]): Promise<void> {
  const { code, stderr } = await machine.run(args);
  if (code !== 0) throw new Error(`reelay ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
}

async function countsOf(machine: UserMachine, name: string): Promise<Record<string, number>> {
  const { stdout } = await machine.here(['status', name, '-o', 'json']);
  return (JSON.parse(stdout) as { counts: Record<string, number> }).counts;
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
