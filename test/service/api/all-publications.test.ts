import fc from 'fast-check';
import { readAllPublications } from '../../../service/api/all-publications';
import { ServiceClient } from '../../../service/api/client';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';

let sandbox: RunningSandbox;
let client: ServiceClient;

beforeEach(async () => {
  sandbox = await startSandbox({ processing: { minMs: 0, maxMs: 0 } });
  client = new ServiceClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, environment: {} });
});
afterEach(async () => {
  await client.close();
  await sandbox.close();
});

const idsNow = (): string[] =>
  sandbox
    .publications()
    .map(({ id }) => id)
    .reverse();

/** What happens between two pages: publications appear, and some of the existing ones disappear. */
const happening = fc.record({ arrive: fc.nat(6), vanish: fc.array(fc.nat(1_000), { maxLength: 6 }) });

test('whatever is in the list all the time is read exactly once and in its order, while others arrive and vanish', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 25 }),
      fc.integer({ min: 2, max: 7 }),
      fc.array(happening, { maxLength: 8 }),
      async (count, pageSize, happenings) => {
        for (const { id } of sandbox.publications()) await client.deletePublication(id);
        for (let made = 0; made < count; made += 1) await sandbox.injectPublication();
        const before = idsNow();
        const left = [...happenings];
        const moving: Pick<ServiceClient, 'listPublications'> = {
          async listPublications(query, options) {
            const page = await client.listPublications(query, options);
            const next = left.shift();
            for (let made = 0; made < (next?.arrive ?? 0); made += 1) await sandbox.injectPublication();
            for (const at of next?.vanish ?? []) {
              const all = idsNow();
              const id = all[at % Math.max(1, all.length)];
              if (id !== undefined) await client.deletePublication(id);
            }
            return page;
          },
        };
        const read = (await readAllPublications(moving, {}, { pageSize })).map(({ id }) => id);
        const after = idsNow();
        const always = before.filter((id) => after.includes(id));
        expect(new Set(read).size).toBe(read.length);
        expect(read.filter((id) => always.includes(id))).toEqual(always);
        // Publications that exist at the end are in the order of the list.
        expect(read.filter((id) => after.includes(id))).toEqual(after.filter((id) => read.includes(id)));
      },
    ),
    { numRuns: 40 },
  );
});

test('a list that doesn’t change is read completely, with or without a total', async () => {
  for (let made = 0; made < 23; made += 1) await sandbox.injectPublication();
  const silent: Pick<ServiceClient, 'listPublications'> = {
    listPublications: async (query, options) => ({ ...(await client.listPublications(query, options)), total: null }),
  };
  for (const service of [client, silent])
    for (const pageSize of [2, 5, 22, 23, 24, 100]) {
      const read = await readAllPublications(service, {}, { pageSize });
      expect(read.map(({ id }) => id)).toEqual(idsNow());
    }
});

test('what arrived while it was read is at the top', async () => {
  for (let made = 0; made < 9; made += 1) await sandbox.injectPublication();
  let pages = 0;
  const busy: Pick<ServiceClient, 'listPublications'> = {
    async listPublications(query, options) {
      const page = await client.listPublications(query, options);
      pages += 1;
      if (pages === 2) for (let made = 0; made < 7; made += 1) await sandbox.injectPublication();
      return page;
    },
  };
  expect((await readAllPublications(busy, {}, { pageSize: 4 })).map(({ id }) => id)).toEqual(idsNow());
});
