import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { UserMachine } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;

beforeAll(async () => {
  service = await startSandbox({ apiKey: 'their-key' });
});
afterAll(() => service.close());
beforeEach(async () => {
  machine = await UserMachine.create();
});
afterEach(() => machine.remove());

const account = () => ({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' });

describe('what a user meets after a mistake', () => {
  it('a manifest with problems: exit 3, the full list, nothing created', async () => {
    const manifest = machine.path('show.csv');
    await writeFile(
      manifest,
      'key,title,video_url,platform,profile,visibilty\na,One,https://videos.example/a.mp4,short,Garden,\nb,Two,not-there.mp4,short,Nobody,\n',
    );
    const { code, stdout } = await machine.run(['run', manifest, '-o', 'json'], account());
    expect(code).toBe(3);
    const { error, problems } = JSON.parse(stdout) as { error: { code: string }; problems: object[] };
    expect(error.code).toEqual(expect.any(String));
    expect(problems.length).toBeGreaterThanOrEqual(2);
    for (const problem of problems)
      expect(Object.keys(problem)).toEqual(expect.arrayContaining(['line', 'column', 'code', 'value', 'hint']));
    expect(service.log()).toEqual([]);
  });

  it('no key: exit 2, naming the variable', async () => {
    await writeCampaign(machine.path('show.csv'), 1);
    const { code, stderr } = await machine.run(['run', machine.path('show.csv')], { REELAY_BASE_URL: service.baseUrl });
    expect([code, stderr]).toEqual([2, expect.stringContaining('REELAY_API_KEY')]);
  });

  it('a service that isn’t running: exit 7 and one line with its address, soon', async () => {
    await writeCampaign(machine.path('show.csv'), 1);
    const port = await freePort();
    const { code, stderr } = await machine.run(['plan', machine.path('show.csv')], {
      REELAY_BASE_URL: `http://127.0.0.1:${port}`,
      REELAY_API_KEY: 'k',
    });
    expect([code, stderr]).toEqual([7, expect.stringContaining(`127.0.0.1:${port}`)]);
  });

  it('a Temporal that isn’t running: exit 7 and one line with its address', async () => {
    await writeCampaign(machine.path('show.csv'), 1);
    const port = await freePort();
    const { code, stderr } = await machine.run(['submit', machine.path('show.csv')], {
      ...account(),
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    });
    expect([code, stderr]).toEqual([7, expect.stringContaining(`127.0.0.1:${port}`)]);
    expect(stderr).not.toContain('    at ');
  });

  it('platform names that no channel shows: reported before anything is sent', async () => {
    await writeFile(
      machine.path('reelay.config.yaml'),
      'platforms:\n  - { name: nowhere_a, kind: short }\n  - { name: nowhere_b, kind: long }\n',
    );
    await writeCampaign(machine.path('show.csv'), 3);
    const { stderr } = await machine.run(['plan', machine.path('show.csv')], account());
    expect(stderr).toContain('nowhere_a');
    expect(service.log()).toEqual([]);
  });

  it('an unknown command or flag: exit 2 with a suggestion', async () => {
    const command = await machine.run(['statsu']);
    expect([command.code, command.stderr]).toEqual([2, expect.stringContaining('status')]);
    const flag = await machine.run(['run', 'x.csv', '--sandbx']);
    expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining('--sandbox')]);
  });

  it('an error is data in JSON modes', async () => {
    const { code, stdout } = await machine.here(['status', 'nothing.1', '-o', 'json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      error: { code: expect.any(String), message: expect.any(String) },
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
