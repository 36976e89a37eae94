import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const EXAMPLES = join(__dirname, '..', '..', 'docs', 'examples', 'notify');
const TEXT =
  'spring.1 ended: 1 failed (“"}],\r\nBcc: all@example.com\u2028<!channel> @everyone <https://evil.example|ok> 😀\\)';
const NOTICE = {
  ...{ version: 1, id: 'spring.1/ended', notice: 'run-ended', text: TEXT, ok: false, sandbox: false },
  next: ['reelay retry spring.1 --watch', `reelay resolve spring.1 '"}'`],
};

let server: Server;
let folder: string;
let address: string;
let bodies: string[];
let status: number;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-notify-'));
  [bodies, status] = [[], 200];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs an example as reelay does; its exit code. */
function run(name: string, env: Record<string, string>): Promise<number | null> {
  const child = spawn(process.execPath, [join(EXAMPLES, `${name}.mjs`)], {
    env: { PATH: `${folder}:${process.env.PATH ?? ''}`, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(JSON.stringify(NOTICE));
  return new Promise((resolve) => child.once('exit', resolve));
}

test.each(['slack', 'discord', 'teams'])('%s gets valid JSON, whatever the text', async (name) => {
  expect(await run(name, { [`${name.toUpperCase()}_WEBHOOK_URL`]: address })).toBe(0);
  expect(bodies).toHaveLength(1);
  const body = JSON.parse(bodies[0] ?? '') as Record<string, unknown>;
  expect(JSON.stringify(body)).toContain('reelay retry spring.1 --watch');
  if (name === 'discord') expect(body).toMatchObject({ allowed_mentions: { parse: [] } });
  if (name === 'slack') expect(JSON.stringify(body)).not.toMatch(/<!channel>|<https:/);
});

test.each(['slack', 'discord', 'teams'])(
  '%s fails where the webhook refuses, so that reelay tries again',
  async (name) => {
    status = 500;
    expect(await run(name, { [`${name.toUpperCase()}_WEBHOOK_URL`]: address })).not.toBe(0);
    expect(await run(name, {})).not.toBe(0);
  },
);

test('mail has the text in its body and its subject, and no header that the text would add', async () => {
  const sent = join(folder, 'mail.txt');
  await writeFile(join(folder, 'sendmail'), `#!/bin/sh\ncat > '${sent}'\n`);
  await chmod(join(folder, 'sendmail'), 0o755);
  expect(await run('mail', { NOTIFY_TO: 'team@example.com', NOTIFY_FROM: 'reelay@example.com' })).toBe(0);
  const [head = '', body = ''] = (await readFile(sent, 'utf8')).split('\n\n');
  expect(head.split('\n').map((line) => line.split(':')[0])).toEqual([
    ...['From', 'To', 'Subject', 'X-Reelay-Notice'],
    ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
  ]);
  expect(Buffer.from(body, 'base64').toString('utf8')).toBe([TEXT, '', ...NOTICE.next].join('\n'));
});

test('mail says that there is no sendmail, in one line', () => {
  const { status: code, stderr } = spawnSync(process.execPath, [join(EXAMPLES, 'mail.mjs')], {
    env: { PATH: folder, NOTIFY_TO: 'team@example.com', NOTIFY_FROM: 'reelay@example.com' },
    input: JSON.stringify(NOTICE),
    encoding: 'utf8',
  });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^mail\.mjs: there is no sendmail on the PATH[^\n]*\n$/u)]);
});
