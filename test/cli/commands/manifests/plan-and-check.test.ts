import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { runCli } from '../../../../cli/run-cli';
import { thisHost } from '../../../../cli/stack/engine';
import { type ShownProblem } from '../../../../cli/errors/errors';
import { demandAccepted, type PreparedManifest } from '../../../../cli/submission/submission';
import { openLedger } from '../../../../ledger/open';
import { type RunningSandbox, startSandbox } from '../../../../sandbox/server';
import { submission, values } from '../../../ledger/support';
import { capture, CapturedStream } from '../../capture';

let service: RunningSandbox;
let folder: string;
let home: string;
const before = { ...process.env };

interface ToldProblem {
  severity: string;
  line: number | null;
  column: string | null;
  code: string;
  message: string;
}

beforeAll(async () => (service = await startSandbox({ apiKey: 'their-key' })));
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-plan-'));
  home = join(folder, 'home');
  await mkdir(home);
  Object.assign(process.env, { REELAY_HOME: home, REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' });
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true, force: true });
});

async function cli(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const code = await runCli(args, { stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

async function problemsOf(command: 'check' | 'plan' | 'run', manifest: string): Promise<ToldProblem[]> {
  const { stdout } = await cli(command, manifest, '-o', 'json');
  return (JSON.parse(stdout) as { problems: ToldProblem[] }).problems;
}

test('the first example has no problem at all, and check says what the file alone doesn’t show', async () => {
  const { code, stdout, stderr } = await cli('check', 'manifests/examples/spring.csv');
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(
    '(`reelay plan manifests/examples/spring.csv` checks it with your service and the ledger):\n  whether the profiles exist and have these platforms\n  what earlier runs did with these rows\n  whether the 18 URLs can be downloaded\n',
  );
});

test('in a rehearsal, check names the whole command that checks the rest in the sandbox', async () => {
  const path = 'manifests/examples/spring.csv';
  const { stderr } = await cli('check', path, '--sandbox', '--timezone', 'Europe/Berlin');
  expect(stderr).toContain(
    `(\`reelay plan ${path} --sandbox --timezone Europe/Berlin\` checks it with the sandbox and the ledger)`,
  );
});

test.each(['check', 'plan', 'run'])('%s shows a time that has passed in the manifest’s zone', async (command) => {
  const path = join(folder, 'past.csv');
  await writeFile(path, 'title,source,platform,publish_at\nA,https://media.example/a.mp4,long,2026-03-01 18:00\n');
  const { stdout, stderr } = await cli(command, path, '--timezone', 'Pacific/Kiritimati');
  expect(stdout + stderr).toMatch(/1 Mar(?: 2026)?,? 18:00 .*has passed/);
});

test('an unknown zone is one error, which names the zone that is likely meant; times are not reported too', async () => {
  const path = join(folder, 'zone.csv');
  await writeFile(path, 'key,title,source,platform,publish_at\na,A,https://v.example/a.mp4,short,2999-01-01 18:00\n');
  const { code, stdout } = await cli('check', path, '--timezone', 'Berlin', '-o', 'json');
  const problems = (JSON.parse(stdout) as { problems: ToldProblem[] }).problems;
  expect(code).toBe(3);
  expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code: 'bad-setting', message: expect.stringContaining('such as Europe/Berlin') },
  ]);
});

test('no command says that a missing file has to be fixed', async () => {
  await writeFile(join(folder, 'spring.csv'), 'key,source,platform\n');
  for (const command of [['check'], ['plan'], ['run', '--sandbox']]) {
    const { code, stderr, stdout } = await cli(...command, join(folder, 'sprng.csv'));
    expect([code, stderr + stdout]).toEqual([3, expect.stringContaining('Did you mean “spring.csv”?')]);
    expect(stderr).not.toMatch(/Fix the file|doesn’t show/u);
  }
});

/** Every row of the ledger: when SQLite moves pages from one of its files to another is its own affair. */
function ledgerRows(path: string): string {
  const database = new Database(path);
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
  const rows = tables.map(({ name }): unknown => [name, database.prepare(`select * from "${name}"`).all()]);
  database.close();
  return JSON.stringify(rows);
}

/** Every file below a folder with its content's hash and its time; of the ledger, what is in it. */
function everything(path: string, under = ''): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = join(under, entry.name);
    const full = join(path, entry.name);
    if (entry.isDirectory()) return [`${name}/`, ...everything(full, name)];
    if (entry.name === 'ledger.db') return [`${name} ${ledgerRows(full)}`];
    if (/^ledger\.db-(shm|wal)$/.test(entry.name)) return [];
    const hash = createHash('sha256').update(readFileSync(full)).digest('hex');
    return [`${name} ${hash} ${statSync(full).mtimeMs}`];
  });
}

const GOOD = `key,source,platform,profile,title
a,https://videos.example/a.mp4,short,Garden,One
b,https://videos.example/b.mp4,short,Garden,Two
`;
/** Mistakes of the header, of rows, of files, of time, of duplicates, and two in one row. */
const BAD = `key,source,platform,profile,title,privcy,publish_at
a,gone.mp4,short,Garden,"One
two",,
a,https://videos.example/b.mp4,short,Garden,B,,soon
c,also-gone.mp4,shrot,Garden,C,,
d,https://videos.example/d.mp4,long,Garden,D,publik,2020-01-01T00:00Z
`;

/** The campaign spring with a row that its manifest has, and one that is gone from it. */
async function rememberRows(): Promise<void> {
  const ledger = await openLedger({ path: join(home, 'ledger.db') }, { host: await thisHost() });
  const rows = ['a', 'z'].map((key, position) => ({
    ...{ position, line: position + 2, key, account: 'default', skip: false, cells: {} },
    values: values(key, { platform: 'platform_a', platformKind: 'short', privacy: null }),
  }));
  await ledger.submit(submission(rows));
  const run = await ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'x' });
  if (run === null) throw new Error('no run');
  await ledger.importSubmissions(run);
  await ledger.close();
}

describe('a plan', () => {
  test.each([
    ['in a fresh home', false],
    ['beside a ledger that knows the campaign', true],
  ])('writes nothing anywhere %s', async (_where, known) => {
    if (known) await rememberRows();
    const manifest = join(folder, 'spring.csv');
    await writeFile(manifest, GOOD);
    await writeFile(join(folder, 'bad.csv'), BAD);
    const files = everything(folder);
    const sent = [service.log().length, service.publications().length];
    const asked = [
      ['plan', manifest],
      ['plan', manifest, '--rows', '-o', 'json'],
      ['plan', manifest, '-o', 'jsonl', '--keep'],
      ['plan', join(folder, 'bad.csv')],
      ['plan', join(folder, 'bad.csv'), '--skip-invalid'],
      ['check', manifest],
      ['check', join(folder, 'bad.csv'), '-o', 'csv'],
    ];
    const codes: number[] = [];
    for (const args of asked) codes.push((await cli(...args)).code);
    expect(codes).toEqual([known ? 3 : 0, known ? 3 : 0, 0, 3, 3, 0, 3]);
    expect(everything(folder)).toEqual(files);
    expect([service.log().length, service.publications().length]).toEqual(sent);
  });

  test('shows the values as they would be sent', async () => {
    const manifest = join(folder, 'spring.yaml');
    await writeFile(
      manifest,
      'timezone: Europe/Berlin\ndefaults: {profile: Garden, privacy.long: unlisted}\nvideos:\n' +
        '  - {key: a, source: "https://videos.example/a.mp4", platform: [short, long], title: "  Padded  ", title.short: Brief, publish_at: 2030-07-01 10:00}\n',
    );
    const { stdout } = await cli('plan', manifest, '--rows', '-o', 'json', '--no-probe');
    expect((JSON.parse(stdout) as { plan: object[] }).plan).toMatchObject([
      { key: 'a', title: 'Brief', privacy: null, publish_at: '2030-07-01T08:00:00.000Z' },
      { key: 'a', title: 'Padded', privacy: 'unlisted', publish_at: '2030-07-01T08:00:00.000Z' },
    ]);
  });
});

describe('a plan of some of the rows', () => {
  const rows = [1, 2, 3, 4, 5].map((n) => `ep-${n},https://example.com/${n}.mp4,long,Garden,Episode ${n},private`);
  const sheet = ['key,source,platform,profile,title,privacy', ...rows, ''].join('\n');

  test.each([
    ['a trial', 'version: 1\n', ['--limit', '2'], null],
    ['so many at a time', 'version: 1\ntake: 2\n', [], 'take: only the next 2 rows'],
  ])('as %s counts those that are sent, and those left for later', async (_, top, flags, said) => {
    await writeFile(join(folder, 'rows.csv'), sheet);
    const manifest = join(folder, 'drip.yaml');
    await writeFile(manifest, `${top}videos: rows.csv\n`);
    const json = await cli('plan', manifest, '--no-probe', ...flags, '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ actions: { create: 2 }, later: 3, channels: [{ rows: 2 }] });
    const text = await cli('plan', manifest, '--no-probe', ...flags);
    expect(text.stderr).toContain('2 create · 3 left for a later submit');
    if (said !== null) expect(text.stderr).toContain(said);
  });
});

describe('check, plan and run', () => {
  test('tell the same problems at once', async () => {
    const manifest = join(folder, 'bad.csv');
    await writeFile(manifest, BAD);
    const told = await problemsOf('check', manifest);
    expect(
      told.map(({ severity, line, column, code }) => `${severity} ${String(line)} ${String(column)} ${code}`),
    ).toEqual([
      'error 1 privcy column-unknown',
      'error 2 title title-line-break',
      'error 2 source file-missing',
      'error 4 publish_at bad-time',
      'error 4 key duplicate-key',
      'error 5 platform platform-unknown',
      'error 5 source file-missing',
      'error 6 privcy bad-privacy',
      'error 6 publish_at time-past',
    ]);
    expect(await problemsOf('plan', manifest)).toEqual(told);
    expect(await problemsOf('run', manifest)).toEqual(told);
  });

  test('differ only in what the service knows: an unknown profile, also of a row with another error', async () => {
    const manifest = join(folder, 'bad.csv');
    await writeFile(manifest, `${BAD}e,https://videos.example/e.mp4,short,Nobody,"x\ny",,\n`);
    const told = await problemsOf('check', manifest);
    const planned = await problemsOf('plan', manifest);
    expect(planned.filter(({ code }) => code !== 'profile-unknown')).toEqual(told);
    expect(planned.find(({ code }) => code === 'profile-unknown')).toMatchObject({ line: 7, column: 'profile' });
    expect(await problemsOf('run', manifest)).toEqual(planned);
  });

  test('count no row as good whose time has passed or whose file is gone', async () => {
    const manifest = join(folder, 'past.csv');
    const past = 'c,https://videos.example/c.mp4,short,Garden,C,2020-01-01T00:00Z\nd,gone.mp4,short,Garden,D,\n';
    await writeFile(manifest, GOOD.replace('title\n', 'title,publish_at\n').replaceAll(/(One|Two)\n/g, '$1,\n') + past);
    const text = await cli('check', manifest);
    expect([text.code, text.stderr]).toEqual([3, expect.stringContaining('2 good rows, 2 errors')]);
    const json = await cli('check', manifest, '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, rows: 2 });
  });

  test.each([
    ['csv', 'key,source,platform,titel\n', '--column titel=ignore'],
    ['yaml', 'videos: [{key: a, source: a.mp4, titel: A}]\n', 'columns: {titel: ignore}'],
  ])('say how a column is kept in the words of a manifest in %s', async (ending, text, words) => {
    const manifest = join(folder, `own.${ending}`);
    await writeFile(manifest, text);
    const { stdout } = await cli('check', manifest, '-o', 'json');
    const { problems } = JSON.parse(stdout) as { problems: { code: string; hint: string }[] };
    expect(problems.find(({ code }) => code === 'column-unknown')?.hint).toContain(words);
  });

  test('that refuse say nothing of when rows would be sent', async () => {
    await rememberRows();
    const manifest = join(folder, 'spring.csv');
    await writeFile(manifest, GOOD);
    const refused = await cli('plan', manifest, '--no-probe');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('A submit would refuse')]);
    expect(refused.stdout + refused.stderr).not.toContain('at once');
    expect((await cli('plan', manifest, '--no-probe', '--keep')).stderr).toContain('All of it can be sent at once.');
  });

  test('as CSV, the problems have their places and what to do', async () => {
    const manifest = join(folder, 'bad.csv');
    await writeFile(manifest, BAD);
    const { code, stdout } = await cli('check', manifest, '-o', 'csv');
    const [header = '', first = ''] = stdout.split(/\r?\n/);
    expect([code, header]).toEqual([3, expect.stringMatching(/severity.*line.*column.*code.*message/)]);
    expect(first).toContain('column-unknown');
  });
});

describe('a look at a few URLs', () => {
  let server: Server;
  let host: string;
  let asked: string[];

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? 'no key'}`);
      const path = request.url ?? '';
      if (path.startsWith('/gone')) return void response.writeHead(404).end();
      if (path.startsWith('/login')) return void response.writeHead(302, { location: '/sign-in' }).end();
      const html = path.startsWith('/page') || path.startsWith('/sign-in');
      return void response.writeHead(200, { 'content-type': html ? 'text/html; charset=utf-8' : 'video/mp4' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const sheet = (...paths: string[]): string =>
    `key,source,platform,profile,title,publish_at\n${paths.map((path, at) => `k${at},${host}${path},short,Garden,T,${path.includes('X-Amz') ? '2030-01-02T00:00Z' : ''}\n`).join('')}`;

  test('warns of pages, logins, what is gone, private hosts and signatures that end too soon, and sends no key', async () => {
    const manifest = join(folder, 'spring.csv');
    await writeFile(manifest, sheet('/gone.mp4', '/login/v.mp4', '/page?X-Amz-Date=20300101T000000Z&X-Amz-Expires=60'));
    const { code, stdout } = await cli('plan', manifest, '-o', 'json');
    const { problems } = JSON.parse(stdout) as { problems: ToldProblem[] };
    expect(code).toBe(0);
    expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
    const told = problems.map(({ line, code }) => `${String(line)} ${code}`);
    expect(told).toEqual(
      expect.arrayContaining(['2 url-not-public', '2 url-answer', '3 url-page', '4 url-page', '4 url-expires']),
    );
    expect(stdout).not.toContain('X-Amz-Date');
    expect(asked.every((one) => one.endsWith('no key'))).toBe(true);
  });

  test('is left out where that is asked for, and in a check', async () => {
    const manifest = join(folder, 'spring.csv');
    await writeFile(manifest, sheet('/gone.mp4'));
    const { stdout } = await cli('plan', manifest, '--no-probe', '-o', 'json');
    await cli('check', manifest);
    expect(stdout).not.toContain('url-answer');
    expect(asked).toEqual([]);
  });
});

describe('a platform that a profile shows no channel on', () => {
  test('is reported for each profile before anything is sent, also in JSON', async () => {
    await writeFile(
      join(folder, 'reelay.config.yaml'),
      'platforms:\n  - { name: nowhere_a, kind: short }\n  - { name: platform_b, kind: long }\n',
    );
    const manifest = join(folder, 'spring.csv');
    await writeFile(manifest, GOOD);
    const { stdout } = await cli(
      'plan',
      manifest,
      '-o',
      'json',
      '--no-probe',
      '--config',
      join(folder, 'reelay.config.yaml'),
    );
    const { problems } = JSON.parse(stdout) as { problems: ToldProblem[] };
    expect(problems.map(({ severity, line, code }) => [severity, line, code])).toEqual([
      ['warning', null, 'platform-not-connected'],
      ['warning', 2, 'profile-platform'],
      ['warning', 3, 'profile-platform'],
    ]);
    expect(problems[1]?.message).toContain('“Garden” shows no channel on nowhere_a');

    const { output, stdout: data, stderr } = capture({ format: 'json' });
    const told = { hint: null, value: null, ...problems[1], file: undefined } as unknown as ShownProblem;
    const reading = { text: GOOD, sheet: null, settings: {} } as unknown as PreparedManifest['reading'];
    const input = {} as NonNullable<PreparedManifest['input']>;
    const clocks = [{ account: 'default', aheadMs: -900_000 }];
    demandAccepted(
      {
        input,
        problems: [told],
        reading,
        rejected: [],
        skipped: [],
        unread: [],
        lacking: null,
        clocks,
        profiles: new Map(),
      },
      { path: manifest },
      output,
    );
    expect([data.text, stderr.text]).toEqual(['', expect.stringContaining('“Garden” shows no channel on nowhere_a')]);
    expect(stderr.text).toContain('this machine’s clock is 15 min ahead of the service’s (account default)');
  });
});

describe('a plan for a calendar', () => {
  const sheet = (time: string): string =>
    `key,source,platform,title,publish_at\na,https://media.example/a.mp4,short,"First, of two",${time}\nb,https://media.example/b.mp4,short,<b>Second</b>,2031-12-05T23:30:00Z\n`;
  const plan = async (format: string, time = '2031-12-05 18:00') => {
    await writeFile(join(folder, 'rows.csv'), sheet(time));
    return cli('plan', join(folder, 'rows.csv'), '--timezone', 'Europe/Berlin', '-o', format);
  };

  test('as iCalendar has an event for each row', async () => {
    const { code, stdout } = await plan('ics');
    expect(code).toBe(0);
    expect(stdout.match(/BEGIN:VEVENT/g)).toHaveLength(2);
    expect(stdout).toContain('DTSTART:20311205T170000Z\r\n');
    expect(stdout).toMatch(/SUMMARY:First\\, of two · .*short\r\n/);
  });

  test('as a page has the days of the manifest’s zone, and no markup of a title', async () => {
    const { code, stdout } = await plan('html');
    expect(code).toBe(0);
    expect(stdout).toContain('2 videos to 1 channel, the last at Sat 6 Dec 2031 00:30.');
    // Without its header, as on a phone, each number and time still says what it is.
    expect(stdout).toContain('data-s="rows">2</td><td data-s="first">Fri 5 Dec 2031 18:00</td><td data-s="last">');
    expect(stdout).toMatch(/Fri 5 Dec<\/p><ul><li><b>18:00<\/b> First, of two/);
    expect(stdout).toMatch(/Sat 6 Dec<\/p><ul><li><b>00:30<\/b> &lt;b&gt;Second&lt;\/b&gt;/);
  });

  test.each(['html', 'ics'])('that is refused has no %s: its problems are on standard error', async (format) => {
    const { code, stdout, stderr } = await plan(format, '2031-02-30 18:00');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('nothing would be sent');
  });
});
