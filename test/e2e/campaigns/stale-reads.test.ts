import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxOptions } from '../../../sandbox/options';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, UserMachine } from '../support/cli-process';
import { TIMINGS } from '../support/settling';

jest.setTimeout(600_000);

/** Longer than the settling time, and than a lost create is looked for. */
const LAG_MS = 12_000;
const API_KEY = 'key-of-theirs';

let machine: UserMachine;
let service: RunningSandbox;
let dir: string;

/** The same service, with what it stored before. */
async function serve(options: SandboxOptions): Promise<void> {
  const port = Number(new URL(service.baseUrl).port);
  await service.close();
  service = await startSandbox({ ...options, port, dir, apiKey: API_KEY });
}

async function run(...titles: string[]): Promise<{ code: number | null; counts: object }> {
  const lines = titles.map((title) => `${title},${title},https://videos.example/${title}.mp4,short`);
  await writeFile(machine.path('garden.csv'), ['key,title,video_url,platform', ...lines, ''].join('\n'));
  const { code, stdout } = await machine.run(['run', machine.path('garden.csv'), '-o', 'json']);
  return { code, counts: JSON.parse(stdout).counts };
}

describe('a service whose reads are behind, by id as well as in the list', () => {
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'reelay-service-'));
    service = await startSandbox({ dir, apiKey: API_KEY });
    machine = await UserMachine.create({
      REELAY_BASE_URL: service.baseUrl,
      REELAY_API_KEY: API_KEY,
      REELAY_TIMINGS: JSON.stringify(TIMINGS),
    });
  });
  afterEach(async () => {
    const left = await processesNaming(machine.folder);
    await service.close();
    await machine.remove();
    await rm(dir, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  it('is not believed that a create whose answer was lost is absent: it is left to a person', async () => {
    expect(await run('apples', 'bees')).toEqual({ code: 0, counts: { published: 2 } });
    await serve({ open: { readLagMs: LAG_MS }, faults: ['create title="mills" times=1 -> lost'] });
    const { code, counts } = await run('apples', 'bees', 'beans', 'mills', 'pears');
    expect(service.log().map(({ title }) => title)).toEqual(['apples', 'bees', 'beans', 'mills', 'pears']);
    expect({ code, counts }).toEqual({ code: 6, counts: { published: 4, unconfirmed: 1 } });
  });
});
