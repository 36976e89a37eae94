import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { ServiceClient } from '../../service/api/client';
import { prepareSubmission, type Prepared } from '../../submissions/prepare-submission';

let folder: string;
let garden: RunningSandbox;
let cafe: RunningSandbox;
const clients: ServiceClient[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-unread-'));
  garden = await startSandbox({});
  cafe = await startSandbox({});
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all([garden.close(), cafe.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function prepare(known: { id: string; name: string; channels: { platform: string }[] }[]): Promise<Prepared> {
  const path = join(folder, 'show.csv');
  const rows = ['garden,Garden,g', 'cafe,Kitchen,new', 'cafe,Bar,known', 'cafe,default,plain'];
  await writeFile(
    path,
    `account,profile,key,platform,title,source\n${rows.map((row) => `${row},short,A title,https://videos.example/${row.split(',')[2]}.mp4\n`).join('')}`,
  );
  const platforms = [
    { name: 'platform_a', kind: 'short' as const, titleLimit: 150 },
    { name: 'platform_b', kind: 'long' as const, titleLimit: 100 },
  ];
  const get = (name: string) => {
    const { baseUrl, apiKey } = name === 'cafe' ? cafe : garden;
    const client = new ServiceClient({ baseUrl, apiKey, environment: {} });
    clients.push(client);
    return { name, client, exclusive: false, trust429: false };
  };
  return prepareSubmission(
    {
      accounts: { get, names: () => ['garden', 'cafe'] },
      plan: () => Promise.reject(new Error('not asked')),
      knownFiles: async () => [],
      knownProfiles: async () => known,
    },
    {
      manifest: { path },
      read: { platforms, accountPlatforms: { garden: platforms, cafe: platforms }, now: Date.now() },
      account: 'garden',
      by: 'test',
    },
  );
}

const keys = async ({ input }: Prepared): Promise<string[]> => {
  const found: string[] = [];
  if (input !== null) for await (const entry of input.entries) found.push(entry.key);
  return found;
};

test('a key that one account refuses keeps no other account’s rows back, and what is known of it waits in the ledger', async () => {
  cafe.rules.add('profiles -> status 401');
  const prepared = await prepare([{ id: 'bar-id', name: 'Bar', channels: [{ platform: 'platform_a' }] }]);
  expect(prepared.unread).toMatchObject([
    { account: 'cafe', keyRefused: true, reason: expect.stringContaining('cafe') },
  ]);
  expect(await keys(prepared)).toEqual(['g', 'known', 'plain']);
  expect(prepared.rejected).toMatchObject([
    { line: 3, code: 'account-unread', message: expect.stringContaining('cafe') },
  ]);
});

test('an outage of one account is no refusal of its key; of all accounts, it is an error that names one', async () => {
  cafe.rules.add('profiles -> status 500');
  expect((await prepare([])).unread).toMatchObject([{ account: 'cafe', keyRefused: false }]);
  garden.rules.add('profiles -> status 500');
  await expect(prepare([])).rejects.toThrow(/account garden: .*500/);
});
