import { writeFile } from 'node:fs/promises';
import { startSandbox } from '../sandbox/server';
import { UserMachine, until } from '../test/e2e/support/cli-process';
import { writeCampaign } from '../test/e2e/support/manifests';

/**
 * How soon live changes take effect: `npm run bench:live`, with the built command, its own Temporal and a sandbox. A
 * `set` is timed from its acknowledgement to the first create that it allows, a `cancel` from the start of its command
 * (which takes a second to load and to signal Temporal) to the end of the upload that is in flight, as the service sees
 * it.
 */
/** A separate channel for each round, because gaps are counted over all campaigns of a channel. */
const PROFILES = ['Garden', 'Kitchen', 'Travel', 'Workshop', 'Music'];
const KEY = 'key-of-the-bench';

async function main(): Promise<void> {
  const service = await startSandbox({ apiKey: KEY, profiles: PROFILES.length });
  const machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: KEY });
  const up = machine.start(['up']);
  try {
    await up.says(/Running\. Ctrl-C/u);
    const sets: number[] = [];
    const cancels: number[] = [];
    for (const profile of PROFILES) {
      sets.push(await timeSet(`set-${profile.toLowerCase()}`, profile));
      cancels.push(await timeCancel(`cancel-${profile.toLowerCase()}`));
    }
    console.log(`set to the next create       ${shown(sets)}`);
    console.log(`cancel to the upload's end   ${shown(cancels)}, from the command's start`);
  } finally {
    up.child.kill('SIGINT');
    await up.ended;
    await service.close();
    await machine.remove();
  }

  async function submit(...args: string[]): Promise<void> {
    const { code, stderr } = await machine.run(['submit', ...args]);
    if (code !== 0) throw new Error(stderr);
  }

  async function timeSet(name: string, profile: string): Promise<number> {
    const title = (index: number): string => `${name} ${String(index)}`;
    const path = machine.path(`${name}.csv`);
    await writeCampaign(path, 2, { profiles: [profile], title, host: `${name}.example` });
    const created = (): number => service.log().filter((entry) => entry.title?.startsWith(name)).length;
    await submit(path, '--min-gap', '1h');
    await until(() => created() === 1);
    const changed = await machine.run(['set', name, 'min_gap=1s', 'jitter=0%', '-o', 'json']);
    const { at } = JSON.parse(changed.stdout) as { at: string };
    await until(() => created() === 2);
    return Date.now() - Date.parse(at);
  }

  async function timeCancel(name: string): Promise<number> {
    await writeFile(machine.path(`${name}.mp4`), Buffer.concat([FTYP, Buffer.alloc(40_000_000)]));
    const path = machine.path(`${name}.csv`);
    await writeFile(path, `key,title,source,platform\nk,${name},${name}.mp4,short\n`);
    service.rules.add('create -> slow-body 500000');
    await submit(path);
    await until(() => service.stats().openCreates > 0);
    const at = Date.now();
    const cancelled = machine.run(['cancel', name, '--yes']);
    await until(() => service.stats().openCreates === 0);
    const took = Date.now() - at;
    await cancelled;
    service.rules.clear();
    return took;
  }
}

const FTYP = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0');

function shown(times: readonly number[]): string {
  return `${times.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}; at most ${(Math.max(...times) / 1000).toFixed(1)} s`;
}

void main();
