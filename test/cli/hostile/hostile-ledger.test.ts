import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { runCli } from '../../../cli/run-cli';
import { noticeText } from '../../../activities/notices/notice-text';
import { openLedger } from '../../../ledger/open';
import { HOSTILE_TEXTS, UNSAFE_ON_A_TERMINAL } from '../../support/hostile-text';
import { CapturedStream } from '../capture';
import { CAMPAIGN, HOSTILE_KEYS, UNCONFIRMED_KEYS, writeHostileLedger } from './hostile-ledger';
import { type HostileService, startHostileService } from './hostile-service';

const ALL = HOSTILE_TEXTS.join(' ');
const before = { ...process.env };
let folder: string;
let service: HostileService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-hostile-'));
  await writeHostileLedger(join(folder, 'home', 'ledger.db'));
  service = await startHostileService(ALL);
  process.env = {
    ...before,
    ...{ REELAY_HOME: join(folder, 'home'), REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'the-key-of-this-test' },
    ...{ REELAY_TEMPORAL_DOWNLOAD: 'never', REELAY_TEMPORAL_BIN: '/nonexistent' },
  };
});
afterAll(async () => {
  process.env = { ...before };
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

interface Shown {
  code: number;
  out: string;
  said: string;
}

async function cli(args: readonly string[], columns?: number): Promise<Shown> {
  const [stdout, stderr] = [new CapturedStream(columns), new CapturedStream(columns)];
  const code = await runCli(args, { stdout, stderr });
  return { code, out: stdout.text, said: stderr.text };
}

/** What `Output` itself writes to a terminal: styles, and how a live line is replaced. */
const OWN_SEQUENCES = /\u001b\[(?:(?:[0-2]|3[1236])m|\d+A|K|J)|\r(?=\u001b\[J|[^\n])/gu;

/** On a terminal: no character that acts on it, no line that outside text began. */
function expectHarmless(shown: string, about: unknown): void {
  const text = shown.replaceAll(OWN_SEQUENCES, '');
  const found = UNSAFE_ON_A_TERMINAL.exec(text);
  const excerpt = found === null ? null : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20));
  expect([about, excerpt]).toEqual([about, null]);
  expect([about, text.split('\n').filter((line) => /^(INJECTED|notify:|- INJECTED)/.test(line))]).toEqual([about, []]);
}

/** Every command in what was shown does nothing in a shell but call `reelay`. */
function expectQuoted(commands: readonly string[], about: unknown): void {
  const lines = commands.map((command, at) => `( ${command}\n) || echo "FAILED ${String(at)}"`);
  const traps = ['touch', 'cmd', 'INJECTED', 'sh', 'Garden'].map((name) => `${name}() { echo "OWNED by ${name}"; }`);
  const script = [...traps, 'reelay() { :; }', ...lines].join('\n');
  const said = execFileSync('/bin/sh', {
    input: script,
    env: { PATH: '/nonexistent' },
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect([about, said]).toEqual([about, '']);
}

/** Strings anywhere in a JSON value. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

const isCommand = (text: string): boolean => text.startsWith('reelay ');

/** Every command that shows what the ledger, the service or a manifest holds; without a Temporal. */
const COMMANDS: readonly (readonly string[])[] = [
  ['status', CAMPAIGN],
  ['status', `${CAMPAIGN}.1`],
  ['status', 'cancelled'],
  ['watch', CAMPAIGN, '--timeout', '1s'],
  ['results', CAMPAIGN],
  ['results', `${CAMPAIGN}.1`],
  ['results', '--all'],
  ...['published', 'failed,rejected', 'unconfirmed', 'overdue', 'drafted', 'submitted', 'processing', 'planned'].map(
    (states) => ['results', CAMPAIGN, '--state', states],
  ),
  ['results', CAMPAIGN, '--profile', ALL],
  ['list'],
  ['recheck', CAMPAIGN],
  ['retry', CAMPAIGN],
  ['resolve', CAMPAIGN],
  ...UNCONFIRMED_KEYS.flatMap((key) => [
    ['resolve', CAMPAIGN, key],
    ['resolve', CAMPAIGN, key, '--published', ALL],
  ]),
  ['cancel', CAMPAIGN],
  ['cancel', CAMPAIGN, '--channel', ALL],
  ...HOSTILE_KEYS.slice(-3).map((key) => ['cancel', CAMPAIGN, '--key', key]),
  ['pause', CAMPAIGN, '--channel', ALL],
  ['resume', CAMPAIGN, '--channel', ALL],
  ['set', CAMPAIGN, '--channel', ALL, '--min-gap', '1s'],
  ['profiles'],
  ['publications'],
  ['publications', 'show', `${HOSTILE_TEXTS[0]!}0`],
  ['doctor'],
  ['ledger', 'status'],
  ['ledger', 'export'],
  ['ledger', 'reconcile'],
  ['schedule', 'list'],
  ['open', CAMPAIGN],
];

describe('of a ledger with hostile text in every field', () => {
  test.each(COMMANDS.map((args) => [args.map((word) => word.slice(0, 20)).join(' '), args]))(
    '%j shows text only',
    async (_, args) => {
      for (const columns of [undefined, 80]) {
        const { code, out, said } = await cli(args, columns);
        expectHarmless(out + said, [args, columns]);
        expect([args, code, out + said]).not.toEqual([args, 1, out + said]);
        expect(out + said).not.toBe('');
        if (columns === undefined)
          expectQuoted(
            (out + said)
              .split('\n')
              .map((line) => line.trim())
              .filter(isCommand),
            args,
          );
      }
      const { code, out, said } = await cli([...args, '-o', 'json']);
      expect([args, code, said]).not.toEqual([args, 1, said]);
      expectHarmless(out + said, [args, 'json']);
      // An export is lines in every format.
      const values = args[1] === 'export' ? out.split('\n').filter(Boolean) : [out];
      expectQuoted(values.flatMap((value) => strings(JSON.parse(value))).filter(isCommand), [args, 'json']);
      const lines = await cli([...args, '-o', 'jsonl']);
      expectHarmless(lines.out + lines.said, [args, 'jsonl']);
      for (const line of lines.out.split('\n').filter(Boolean))
        expectQuoted(strings(JSON.parse(line)).filter(isCommand), [args, 'jsonl']);
    },
  );

  test('a notice has its values as they are, and commands in quotes', async () => {
    const ledger = await openLedger({ path: join(folder, 'home', 'ledger.db') });
    try {
      const run = { campaign: CAMPAIGN, number: 1 };
      for (const subject of [
        { kind: 'ended', run },
        { kind: 'parked', run, scope: 'account:default', since: new Date().toISOString() },
      ] as const) {
        const text = await noticeText(ledger, { id: 'n', subject, targets: [] }, false);
        if (subject.kind === 'parked') expect(text.reason).toBe(ALL);
        expectQuoted(text.next, subject.kind);
      }
    } finally {
      await ledger.close();
    }
  });

  test('JSON has each value as it is', async () => {
    const { out } = await cli(['results', CAMPAIGN, '-o', 'json']);
    const { rows } = JSON.parse(out) as { rows: { key: string; title: string; profile: string }[] };
    expect(rows.map(({ key }) => key)).toEqual(HOSTILE_KEYS);
    expect(new Set(rows.map(({ title }) => title))).toEqual(new Set(HOSTILE_TEXTS));
    expect(new Set(rows.map(({ profile }) => profile))).toEqual(new Set(HOSTILE_TEXTS));
  });

  test.each(['stdout', 'file'])(
    'a CSV (%s) has no formula for any reader’s delimiter, and a record a row',
    async (where) => {
      const path = join(folder, 'results.csv');
      const args = ['results', CAMPAIGN, '-o', 'csv'];
      const { out } = await cli(where === 'file' ? [...args, '--out', path, '--force'] : args);
      const text = where === 'file' ? await readFile(path, 'utf8') : out;
      const records: string[][] = parseCsv(text, { bom: true });
      expect(records).toHaveLength(1 + HOSTILE_KEYS.length);
      for (const cell of records.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      for (const delimiter of [',', ';', '\t', '|'])
        for (const line of text.split(/\r\n|[\r\n]/))
          for (const cell of line.split(delimiter)) expect(cell).not.toMatch(/^"*[=+@]|^"*-(?!\d)/);
      if (where === 'file') return;
      expect(out).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u);
      expect((await cli(args, 80)).out).not.toMatch(UNSAFE_ON_A_TERMINAL);
    },
  );

  test.each(['stdout', 'file', 'client'])(
    'a report (%s) has no element, attribute or address of theirs',
    async (where) => {
      const path = join(folder, 'report.html');
      const args = ['results', CAMPAIGN, '-o', 'html', ...(where === 'client' ? ['--for-client'] : [])];
      const { out } = await cli(where === 'file' ? [...args, '--out', path, '--force'] : args);
      const html = where === 'file' ? await readFile(path, 'utf8') : out;
      const elements = html.match(/<[a-z][^>]*>/gi) ?? [];
      expect(elements.length).toBeGreaterThan(HOSTILE_KEYS.length);
      for (const element of elements) {
        expect(element).not.toMatch(/^<(img|iframe|object|embed|link|base|form)\b|\son[a-z]+\s*=/i);
        for (const [, address] of element.matchAll(/(?:href|src|action)="([^"]*)"/gi))
          expect(address).toMatch(/^(https?:|#)/);
      }
      // Line ends of a text stay; they act on nothing in a page.
      expect(UNSAFE_ON_A_TERMINAL.exec(html.replaceAll(/[\r\n]/g, ''))?.[0]).toBeUndefined();
    },
  );

  test.each([['campaign.csv'], ['campaign.yaml']])('a manifest of it (%s) is shown as text', async (name) => {
    const path = join(folder, name);
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const columns = [
      ...HOSTILE_TEXTS,
      'key',
      'source',
      'platform',
      'title',
      'profile',
      'privacy',
      'publish_at',
      'status',
    ];
    const csv = [columns, ...HOSTILE_TEXTS.map((text) => columns.map(() => text))]
      .map((cells) => cells.map(quoted).join(','))
      .join('\n');
    const video = (text: string): object =>
      Object.fromEntries(
        ['key', 'source', 'platform', 'title', 'profile', 'privacy', 'publish_at', 'status', text].map((field) => [
          field,
          text,
        ]),
      );
    const yaml = JSON.stringify({
      version: 1,
      campaign: ALL,
      timezone: ALL,
      [ALL]: ALL,
      videos: HOSTILE_TEXTS.map(video),
    });
    await writeFile(path, name.endsWith('csv') ? csv : yaml);
    for (const args of [
      ['check', path],
      ['plan', path],
      ['check', path, '--skip-invalid'],
      ['submit', path],
      ['check', path, '--timezone', ALL],
    ])
      for (const [columns, ...more] of [
        [undefined],
        [80],
        [undefined, '-o', 'json'],
        [undefined, '-o', 'jsonl'],
      ] as const) {
        const { code, out, said } = await cli([...args, ...more], columns);
        expect([args, code]).not.toEqual([args, 1]);
        expectHarmless(out + said, args);
      }
  });
});
