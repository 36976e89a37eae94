import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { sheetExport } from '../../activities/schedules/manifest-place';
import { processesNaming, UserMachine } from './cli-process';

jest.setTimeout(180_000);

let machine: UserMachine;
let service: RunningSandbox;
let server: Server;
let address: string;

const FEED = `key,title,source,platform
one,One,https://videos.example/one.mp4,short
`;
const PAGES: Readonly<Record<string, string>> = {
  '/feed.csv': FEED,
  '/files.csv': `${FEED}two,Two,/etc/passwd,short\nthree,Three,http://10.0.0.1/a.mp4,short\n`,
  '/signin.csv': '<!doctype html><html><title>Sign in</title></html>',
};

beforeEach(async () => {
  service = await startSandbox({ apiKey: 'key-of-theirs' });
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
  const checked = await machine.run(['check', `${address}/feed.csv?sig=secret`]);
  expect([checked.code, checked.stderr]).toEqual([
    0,
    expect.stringContaining(`ok ${address}/feed.csv (campaign feed)`),
  ]);
  expect(checked.stdout + checked.stderr).not.toContain('secret');
  const refused = await machine.run(['check', `${address}/files.csv`, '-o', 'json']);
  expect(refused.code).toBe(3);
  const { problems } = JSON.parse(refused.stdout) as { problems: { severity: string; code: string }[] };
  expect(problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
    'remote-file',
    'remote-private-host',
  ]);
  expect((await machine.run(['plan', `${address}/feed.csv`, '--no-probe'])).stderr).toContain('1 create');
  expect((await machine.run(['run', `${address}/feed.csv`])).code).toBe(0);
  expect(service.log().map(({ title }) => title)).toEqual(['One']);
});

test('a page for signing in, a missing file and a sheet’s editing page are named as what they are', async () => {
  const signIn = await machine.run(['check', `${address}/signin.csv`]);
  expect([signIn.code, signIn.stderr]).toEqual([3, expect.stringContaining('answers with a web page')]);
  const missing = await machine.run(['check', `${address}/gone.csv`]);
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('answered 404')]);
  const edit = 'https://docs.google.com/spreadsheets/d/1AbC_d/edit?usp=sharing#gid=42';
  const sheet = await machine.run(['check', edit]);
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
