import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { writeStarterFiles } from '../../../../cli/commands/account/init/starter-files';
import { readManifest } from '../../../../manifests/read-manifest';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'reelay-init-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const PLATFORMS = [
  { name: 'platform_a', kind: 'short' as const },
  { name: 'platform_b', kind: 'long' as const },
];

function write(profile: string, force = false, sandbox = true) {
  const setup = { sandbox, baseUrl: 'https://publisher.io', keyVariable: 'REELAY_API_KEY' } as Parameters<
    typeof writeStarterFiles
  >[0]['setup'];
  const profiles = [{ name: profile, id: 'p', platforms: [] }];
  return writeStarterFiles({ folder, setup, platforms: [], profiles, force });
}

test.each(['Garden', 'Ana’s "best", no: #1', 'no'])(
  'starter manifests are fine for a profile named %s',
  async (profile) => {
    await write(profile);
    for (const name of ['campaign.csv', 'campaign.yaml']) {
      const reading = await readManifest({ path: join(folder, name) }, { platforms: PLATFORMS, now: Date.now() });
      expect([name, reading.problems]).toEqual([name, []]);
      expect(new Set(reading.rows.map((row) => row.profile))).toEqual(new Set([profile]));
    }
  },
);

test('the starter YAML names its schema for editors, which is beside it and accepts it', async () => {
  await write('Garden');
  const text = await readFile(join(folder, 'campaign.yaml'), 'utf8');
  const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
  const read = JSON.parse(await readFile(join(folder, schema), 'utf8')) as object;
  expect(new Ajv({ strict: false }).compile(read)(parse(text))).toBe(true);
});

test('existing files stay, unless forced', async () => {
  await writeFile(join(folder, 'campaign.yaml'), 'mine');
  expect((await write('Garden')).kept).toEqual([join(folder, 'campaign.yaml')]);
  expect(await readFile(join(folder, 'campaign.yaml'), 'utf8')).toBe('mine');
  expect((await write('Garden', true)).kept).toEqual([]);
});

test('for a real service, the example rows are skipped, with a note that says so', async () => {
  await write('Garden', false, false);
  for (const name of ['campaign.csv', 'campaign.yaml']) {
    const read = { platforms: PLATFORMS, now: Date.now(), realService: true };
    const reading = await readManifest({ path: join(folder, name) }, read);
    expect([name, reading.problems]).toEqual([name, []]);
    expect(new Set(reading.rows.map((row) => row.skip))).toEqual(new Set([true]));
    expect(await readFile(join(folder, name), 'utf8')).toContain('Example: replace it with your own video');
  }
});
