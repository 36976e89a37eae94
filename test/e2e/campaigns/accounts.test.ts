import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { until, UserMachine } from '../support/cli-process';

let machine: UserMachine;
let garden: RunningSandbox;
let cafe: RunningSandbox;

interface Listed {
  publications: { id: string; row: { campaign: string } | null }[];
}

interface Results {
  rows: { key: string; state: string; account: string; platform: string; publish_id: string | null; message: string }[];
}

beforeAll(async () => {
  // Slow enough that the campaign is still creating while the list is read.
  garden = await startSandbox({ apiKey: 'garden-key', faults: ['create -> slow-answer 150'] });
  cafe = await startSandbox({ apiKey: 'cafe-key', platforms: { short: 'clips', long: 'films' } });
  machine = await UserMachine.create({ REELAY_API_KEY_GARDEN: 'garden-key', REELAY_CAFE_KEY: 'cafe-key' });
  await writeFile(
    machine.path('reelay.config.yaml'),
    `account: garden
accounts:
  garden: { base_url: "${garden.baseUrl}" }
  cafe:
    base_url: "${cafe.baseUrl}"
    api_key_env: REELAY_CAFE_KEY
    platforms: [{ name: clips, kind: short }, { name: films, kind: long }]
`,
  );
  await mkdir(machine.path('clips'));
  const clip = join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4');
  await copyFile(clip, machine.path('clips/tour.mp4'));
});

afterAll(async () => {
  await Promise.all([garden.close(), cafe.close()]);
  await machine.remove();
});

jest.setTimeout(600_000);

const HEAD = 'key,account,platform,profile,title,source,status,via,privacy.long';

test('one run publishes to two accounts, on both platforms, as file, URL, draft and direct publish', async () => {
  const many = Array.from(
    { length: 120 },
    (_, at) => `u${at},,short,Garden,Url ${at},https://videos.example/${at}.mp4,,,`,
  );
  await writeFile(
    machine.path('spring.csv'),
    [
      HEAD,
      'file,garden,long,Garden,A file,clips/tour.mp4,,,unlisted',
      'draft,garden,long,default,A draft,,draft,,private',
      'direct,garden,short,Kitchen,Directly,clips/tour.mp4,,direct,',
      'cafe-url,cafe,short|long,Garden,In the cafe,https://videos.example/cafe.mp4,,,public',
      'cafe-direct,cafe,long,Travel,Directly there,clips/tour.mp4,,direct,',
      ...many,
      '',
    ].join('\n'),
  );
  const run = machine.start(['run', 'spring.csv', '--no-probe', '-o', 'json']);
  await until(() => garden.publications().length > 15);
  // Exactly the service's own list, as it was at some moment during the command, while more are created.
  await until(async () => {
    const at = garden.publications().length;
    const listed = JSON.parse((await machine.here(['publications', 'list', '--all', '-o', 'json'])).stdout) as Listed;
    const after = garden.publications().map(({ id }) => id);
    const ids = listed.publications.map(({ id }) => id).reverse();
    expect(ids).toEqual(after.slice(0, ids.length));
    expect(ids.length).toBeGreaterThanOrEqual(at);
    return after.length > at || run.child.exitCode !== null;
  });

  const { code, stderr } = await run.ended;
  expect([code, stderr.replaceAll(/(garden|cafe)-key/g, 'LEAKED')]).toEqual([0, stderr]);
  const results = JSON.parse((await machine.here(['results', 'spring', '-o', 'json'])).stdout) as Results;
  const states = results.rows
    .filter(({ key }) => !/^u\d/.test(key))
    .map(({ key, account, platform, state }) => `${key} ${account} ${platform} ${state}`);
  expect(states).toEqual([
    'file garden platform_b published',
    'draft garden platform_b drafted',
    'direct garden platform_a submitted',
    'cafe-url cafe clips published',
    'cafe-url cafe films published',
    'cafe-direct cafe films submitted',
  ]);
  expect(results.rows.filter(({ key, state }) => /^u\d/.test(key) && state === 'published')).toHaveLength(120);
  expect(results.rows.find(({ key }) => key === 'direct')?.message).toMatch(/no outcome can be read/);
  expect([garden.stats().unauthorized, cafe.stats().unauthorized]).toEqual([0, 0]);
  const own = JSON.parse((await machine.here(['publications', 'list', '--all', '-o', 'json'])).stdout) as Listed;
  expect(own.publications.map(({ id }) => id).reverse()).toEqual(garden.publications().map(({ id }) => id));
  expect(own.publications.every(({ row }) => row?.campaign === 'spring')).toBe(true);
});

test('a plan shows what a changed draft becomes, and draft to published is refused with the ways out', async () => {
  const row = (title: string, status: string): string => `${HEAD}\ndraft,garden,long,,${title},,${status},,private\n`;
  await writeFile(machine.path('autumn.csv'), row('Another draft', 'draft'));
  expect((await machine.run(['run', 'autumn.csv'])).code).toBe(0);
  await writeFile(machine.path('autumn.csv'), row('A better draft', 'draft'));
  expect((await machine.here(['plan', 'autumn.csv'])).stderr).toContain('title “Another draft” → “A better draft”');
  expect((await machine.run(['run', 'autumn.csv'])).code).toBe(0);
  expect(garden.publications().filter(({ title }) => title === 'A better draft')).toHaveLength(1);
  garden.rules.add('update -> status 422');
  await writeFile(machine.path('autumn.csv'), row('A worse draft', 'draft'));
  expect((await machine.run(['run', 'autumn.csv'])).code).toBe(5);
  expect((await machine.here(['results', 'autumn', '-o', 'json'])).stdout).toContain('patch-refused');
  garden.rules.clear();
  await writeFile(
    machine.path('autumn.csv'),
    row('A better draft', 'published').replace(',,published', ',clips/tour.mp4,published'),
  );
  const refused = await machine.here(['plan', 'autumn.csv', '-o', 'json']);
  expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('draft-cannot-be-published')]);
});
