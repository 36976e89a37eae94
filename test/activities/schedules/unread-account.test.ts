import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScheduleDefinition } from '../../../activities/schedules/contract';
import { NO_SCHEDULES } from '../../../activities/schedules/schedule-server';
import { submitFiring } from '../../../activities/schedules/submit-firing';
import { type Firing } from '../../../ledger/model/firing-types';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { ServiceClient } from '../../../service/api/client';
import { Harness } from '../harness';

const AT = new Date('2026-11-28T09:00:00Z').toISOString();

let harness: Harness;
let cafe: RunningSandbox;
let cafeClient: ServiceClient;

beforeEach(async () => {
  harness = await Harness.open({ rows: 1 });
  cafe = await startSandbox({});
  cafeClient = new ServiceClient({ baseUrl: cafe.baseUrl, apiKey: cafe.apiKey, environment: {} });
});
afterEach(async () => {
  await cafeClient.close();
  await cafe.close();
  await harness.close();
});

/** A firing of a manifest with rows of two accounts. */
async function fire(rows: readonly string[]) {
  const path = join(harness.folder, 'daily.yaml');
  await writeFile(
    path,
    `campaign: daily\nvideos:\n${rows
      .map((row) => {
        const [account, profile, key] = row.split(',');
        return `  - {account: ${account}, profile: ${profile}, key: ${key}, title: ${key}, platform: short, source: "https://videos.example/${key}.mp4"}\n`;
      })
      .join('')}`,
  );
  const platforms = [{ name: 'platform_a', kind: 'short' as const, titleLimit: 150 }];
  const definition: ScheduleDefinition = {
    schedule: 'daily',
    manifest: { kind: 'path', path },
    read: { platforms, accountPlatforms: { main: platforms, cafe: platforms } },
    account: 'main',
    zone: 'UTC',
    keyed: 'date',
    take: null,
    vanished: null,
    overlap: 'skip',
    lateMs: 3_600_000,
    pauseAfter: 3,
    since: AT,
  };
  const main = harness.deps.accounts.get('main');
  const deps = {
    ...harness.deps,
    accounts: {
      names: () => ['main', 'cafe'],
      get: (name: string) => (name === 'cafe' ? { ...main, name, client: cafeClient } : main),
    },
    schedules: NO_SCHEDULES,
  };
  const { firings } = harness.ledger;
  const workflowId = `firing/daily/${key++}`;
  const opened = await firings.open({ schedule: 'daily', key: workflowId, nominalAt: key, workflowId, again: false });
  const { id } = opened.firing;
  const submitted = submitFiring(deps, { definition, firing: id, nominalAt: AT, waitOver: false });
  return { submitted, get: (): Promise<Firing> => firings.get(id), id };
}
let key = 1;

const statesOf = async (): Promise<Record<string, string>> => {
  const info = await harness.ledger.newestRun('daily');
  if (info === null) return {};
  await harness.ledger.importSubmissions(info, { onPage: () => undefined });
  const found: Record<string, string> = {};
  for await (const row of harness.ledger.results(info)) found[row.key] = row.state;
  return found;
};

it('a firing sends the rows of accounts that answer, parks one whose key is refused, and its record names that account', async () => {
  cafe.rules.add('profiles -> status 401');
  const { submitted, get, id } = await fire(['main,Garden,g', 'cafe,default,waits', 'cafe,New,unknown']);
  expect(await submitted).toMatchObject({ kind: 'submitted', run: { campaign: 'daily' } });
  expect(await statesOf()).toEqual({ g: 'planned', waits: 'planned' });
  const [gate] = await harness.ledger.gates({ campaign: 'daily', number: 1 });
  expect([gate?.scope, gate?.kind]).toEqual(['account:cafe', 'parked']);
  expect((await get()).reason).toMatch(/account cafe is parked until its key is accepted.*; 1 row is left out/);
  const ended = await harness.ledger.firings.end(id, { outcome: 'done', code: 'run-done', reason: '1 published' });
  expect(ended.reason).toMatch(/^1 published; account cafe is parked/);
});

it('an outage of one account is waited for by its rows alone; the next firing takes in what was left out, and a key that works opens the account', async () => {
  cafe.rules.add('profiles -> status 500');
  const first = await fire(['main,Garden,g', 'cafe,default,waits']);
  expect(await first.submitted).toMatchObject({ kind: 'submitted' });
  expect((await first.get()).reason).toContain('account cafe can’t be read now; its rows wait until it answers');
  expect(await harness.ledger.gates({ campaign: 'daily', number: 1 })).toEqual([]);
  await statesOf();
  await harness.ledger.parkAccount({ account: 'cafe', reason: 'its key was refused' });
  cafe.rules.clear();
  const second = await fire(['main,Garden,g', 'cafe,default,waits', 'cafe,Garden,later']);
  expect(await second.submitted).toMatchObject({ kind: 'submitted' });
  expect([(await second.get()).reason, await harness.ledger.gates({ campaign: 'daily', number: 1 })]).toEqual([
    null,
    [],
  ]);
  expect(await statesOf()).toEqual({ g: 'planned', waits: 'planned', later: 'planned' });
});

it('a firing whose only rows left to send can’t be looked up is no firing without work: it fails, or is tried again', async () => {
  cafe.rules.add('profiles -> status 401');
  const refused = await fire(['cafe,New,unknown', 'main,Garden,g']);
  expect(await refused.submitted).toMatchObject({ kind: 'submitted' });
  await statesOf();
  const again = await fire(['cafe,New,unknown']);
  expect(await again.submitted).toMatchObject({
    kind: 'ended',
    outcome: 'failed',
    code: 'access-refused',
    reason: expect.stringContaining('account cafe'),
  });
  cafe.rules.clear();
  cafe.rules.add('profiles -> status 500');
  const outage = await fire(['cafe,New,unknown']);
  await expect(outage.submitted).rejects.toThrow(/account cafe/);
  expect((await outage.get()).outcome).toBe('open');
});
