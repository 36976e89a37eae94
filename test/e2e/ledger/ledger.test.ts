import { copyFile, readFile, rm } from 'node:fs/promises';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, UserMachine } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;

afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await service.close();
  await machine.remove();
  expect(left).toEqual([]);
});

it('a ledger restored from a backup sends nothing until it was compared with the service', async () => {
  service = await startSandbox({ apiKey: 'key-of-theirs', open: { echoTitle: true } });
  machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: 'key-of-theirs',
    REELAY_TIMINGS: JSON.stringify({ settleMs: 2_000, lookGapMs: 300 }),
  });
  const manifest = machine.path('show.csv');
  await writeCampaign(manifest, 6);
  expect((await machine.run(['run', manifest, '--limit', '2'])).code).toBe(0);
  const copy = machine.path('copy.db');
  expect((await machine.run(['ledger', 'backup', copy])).code).toBe(0);
  expect((await machine.run(['run', manifest, '--limit', '3'])).code).toBe(0);
  expect(service.log()).toHaveLength(5);

  const ledger = `${machine.home}/ledger.db`;
  for (const end of ['-wal', '-shm']) await rm(ledger + end, { force: true });
  await copyFile(copy, ledger);
  const refused = await machine.run(['run', manifest, '-o', 'json']);
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([7, 'ledger-rolled-back']);
  const looked = await machine.run(['ledger', 'status', '-o', 'json']);
  expect(JSON.parse(looked.stdout).rewound).toMatchObject({ lost: false });

  const reconciled = await machine.run(['ledger', 'reconcile', '--yes', '-o', 'json']);
  expect([reconciled.code, JSON.parse(reconciled.stdout)]).toEqual([
    0,
    { version: 1, reconciled: true, unowned: 3, adopted: 3, unconfirmed: 0 },
  ]);
  const last = await machine.run(['run', manifest, '-o', 'json']);
  expect([last.code, JSON.parse(last.stdout).counts]).toEqual([0, { published: 6 }]);
  expect(service.log()).toHaveLength(6);

  const out = machine.path('rows.jsonl');
  expect((await machine.run(['ledger', 'export', '--out', out])).code).toBe(0);
  expect((await readFile(out, 'utf8')).trimEnd().split('\n')).toHaveLength(6);
});
