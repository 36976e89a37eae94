import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { sheetExport } from '../../../activities/schedules/manifest-place';
import { processesNaming, UserMachine } from '../support/cli-process';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;
let server: Server;
let address: string;

const FEED = `key,title,source,platform
one,One,https://videos.example/one.mp4,short
`;
const PAGES: Record<string, string> = {
  '/feed.csv': FEED,
  '/files.csv': `${FEED}two,Two,/etc/passwd,short\nthree,Three,http://10.0.0.1/a.mp4,short\n`,
  '/signin.csv': '<!doctype html><html><title>Sign in</title></html>',
};

beforeEach(async () => {
  service = await startSandbox({ apiKey: 'key-of-theirs', faults: ['create title="Broken" -> status 422'] });
  machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
  server = createServer((request, response) => {
    const page = PAGES[new URL(request.url ?? '/', 'http://localhost').pathname];
    response.writeHead(page === undefined ? 404 : 200, { connection: 'close' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://localhost:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await new Promise((resolve) => server.close(resolve));
  await service.close();
  await machine.remove();
  expect(left).toEqual([]);
});

test('a manifest is read from its URL, and may name nothing of this machine or its network', async () => {
  const checked = await machine.here(['check', `${address}/feed.csv?sig=secret`]);
  expect([checked.code, checked.stderr]).toEqual([
    0,
    expect.stringContaining(`ok ${address}/feed.csv (campaign feed)`),
  ]);
  expect(checked.stdout + checked.stderr).not.toContain('secret');
  const refused = await machine.here(['check', `${address}/files.csv`, '-o', 'json']);
  expect(refused.code).toBe(3);
  const { problems } = JSON.parse(refused.stdout) as { problems: { severity: string; code: string }[] };
  expect(problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
    'remote-file',
    'remote-private-host',
  ]);
  expect((await machine.here(['plan', `${address}/feed.csv`, '--no-probe'])).stderr).toContain('1 create');
  expect((await machine.run(['run', `${address}/feed.csv?sig=secret`])).code).toBe(0);
  expect(service.log().map(({ title }) => title)).toEqual(['One']);
  const listed = await machine.here(['list', '-o', 'json']);
  expect(JSON.parse(listed.stdout).runs).toMatchObject([{ manifest: `${address}/feed.csv?…` }]);
});

test('a run of a URL resumes with the URL, and what was corrected there is sent', async () => {
  const sheet = (two: string, when: string): string =>
    `${FEED.replace('\n', ',publish_at\n').replace(/short\n$/u, 'short,\n')}two,${two},https://videos.example/two.mp4,short,\nthree,Three,https://videos.example/three.mp4,short,${when}\n`;
  PAGES['/show.csv'] = sheet('Broken', new Date(Date.now() + 3_600_000).toISOString());
  // What is there by chance is not the manifest.
  await writeFile(machine.path('show.csv'), FEED);
  const running = machine.start(['run', `${address}/show.csv`]);
  await running.says(/1 published.* 1 rejected/u);
  running.child.kill('SIGINT');
  await running.ended;
  const status = await machine.here(['status', 'show', '-o', 'json']);
  const { next } = JSON.parse(status.stdout) as { next: string[] };
  expect(next).toContain(`reelay run ${address}/show.csv`);
  PAGES['/show.csv'] = sheet('Fixed', '');
  const ended = await machine.run(['run', `${address}/show.csv`, '-o', 'json']);
  expect([ended.code, JSON.parse(ended.stdout).counts]).toEqual([0, { published: 3 }]);
  const titles = service.log().map(({ title }) => title);
  expect(titles.sort()).toEqual(['Fixed', 'One', 'Three']);
});

test('a page for signing in, a missing file and a sheet’s editing page are named as what they are', async () => {
  const signIn = await machine.here(['check', `${address}/signin.csv`]);
  expect([signIn.code, signIn.stderr]).toEqual([3, expect.stringContaining('is a web page')]);
  const missing = await machine.here(['check', `${address}/gone.csv`]);
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('answered 404')]);
  const edit = 'https://docs.google.com/spreadsheets/d/1AbC_d/edit?usp=sharing#gid=42';
  const sheet = await machine.here(['check', edit]);
  expect([sheet.code, sheet.stderr]).toEqual([
    3,
    expect.stringContaining('https://docs.google.com/spreadsheets/d/1AbC_d/export?format=csv&gid=42'),
  ]);
});

test.each([
  [
    'https://docs.google.com/spreadsheets/d/1AbC_d/edit',
    'https://docs.google.com/spreadsheets/d/1AbC_d/export?format=csv&gid=0',
  ],
  [
    'https://docs.google.com/spreadsheets/u/0/d/1AbC/view?gid=7',
    'https://docs.google.com/spreadsheets/d/1AbC/export?format=csv&gid=7',
  ],
  ['https://docs.google.com/spreadsheets/d/1AbC/export?format=csv', null],
  ['https://docs.google.com/spreadsheets/d/e/2PACX/pub?output=csv', null],
  ['https://docs.example/spreadsheets/d/1AbC/edit', null],
])('the export link of %s', (link, expected) => {
  expect(sheetExport(link)).toBe(expected);
});
