import { writeFile } from 'node:fs/promises';
import { processesNaming, until, UserMachine } from '../support/cli-process';
import { TIMINGS } from '../support/settling';
import { TwoAccounts } from '../support/two-accounts';

jest.setTimeout(120_000);

const [OURS, OTHER] = ['key-of-ours', 'key-of-another'];
const OTHER_KEY = { REELAY_API_KEY: OTHER };
const SAYS = /seems to be another account’s/u;

let machine: UserMachine;
let service: TwoAccounts;

/** Rows of the account's default channel: nothing of them names a profile. */
async function manifest(...titles: string[]): Promise<string> {
  const lines = titles.map((title) => `${title},${title},https://videos.example/${title}.mp4,short`);
  await writeFile(machine.path('garden.csv'), ['key,title,video_url,platform', ...lines, ''].join('\n'));
  return machine.path('garden.csv');
}

beforeEach(async () => {
  service = await TwoAccounts.start({
    [OURS]: { open: { echoTitle: true }, faults: ['create title="mills" -> lost'] },
    [OTHER]: {},
  });
  machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: OURS,
    REELAY_TIMINGS: JSON.stringify({ ...TIMINGS, reconcileForMs: 30 * 60_000, settleMs: 5_000, parkedProbeMs: 500 }),
  });
});

afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await service.close();
  await machine.remove();
  expect(left).toEqual([]);
});

describe('the key of another account', () => {
  it('is refused before anything is sent, by every command, and the right key continues', async () => {
    expect((await machine.run(['run', await manifest('apples', 'bees')])).code).toBe(0);
    const sheet = await manifest('apples', 'bees', 'mills');
    const run = machine.start(['run', sheet]);
    await until(() => service.titles(OURS).includes('mills'));
    run.child.kill('SIGKILL');
    await run.ended;

    for (const args of [['run', sheet], ['submit', sheet], ['plan', sheet], ['profiles'], ['publications']]) {
      const { code, stderr } = await machine.run(args, OTHER_KEY);
      expect([args[0], code, stderr]).toEqual([args[0], 2, expect.stringMatching(SAYS)]);
    }
    const doctor = await machine.run(['doctor'], OTHER_KEY);
    expect([doctor.code, doctor.stdout + doctor.stderr]).toEqual([2, expect.stringMatching(SAYS)]);
    expect(service.titles(OTHER)).toEqual([]);

    expect((await machine.run(['run', sheet])).code).toBe(0);
    expect(service.titles(OURS)).toEqual(['apples', 'bees', 'mills']);
  });

  it('parks the account when a worker has it, until a worker has the account’s own key', async () => {
    const up = machine.start(['up'], OTHER_KEY);
    await up.says(/Running/u);
    const sheet = await manifest('apples', 'bees');
    expect((await machine.run(['submit', sheet])).code).toBe(0);
    const status = async (): Promise<string> => (await machine.run(['status', 'garden'])).stderr;
    await until(async () => SAYS.test(await status()));
    expect(service.titles(OTHER)).toEqual([]);
    up.child.kill('SIGINT');
    await up.ended;

    expect((await machine.run(['run', sheet])).code).toBe(0);
    expect([service.titles(OURS), service.titles(OTHER)]).toEqual([['apples', 'bees'], []]);
  });

  it('is accepted as the account’s once a person confirms that its profiles were created again', async () => {
    expect((await machine.run(['run', await manifest('apples')])).code).toBe(0);
    const sheet = await manifest('apples', 'bees');
    expect((await machine.run(['run', sheet, '--confirm-base-url'], OTHER_KEY)).code).toBe(0);
    expect(service.titles(OTHER)).toEqual(['bees']);
    expect((await machine.run(['plan', sheet], OTHER_KEY)).code).toBe(0);
    expect((await machine.run(['plan', sheet])).code).toBe(2);
  });
});
