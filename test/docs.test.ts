import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { PRODUCTION_TIMINGS, SANDBOX_TIMINGS, type Timings } from '../activities/timings';
import { EXIT_MEANING, PRECEDENCE } from '../cli/errors/exit-codes';
import { runCli } from '../cli/run-cli';
import { SEARCH_ATTRIBUTES } from '../embedded/server/search-attributes';
import { TRANSITIONS } from '../ledger/model/states';
import { FIELD_ALIASES, FIELDS } from '../manifests/fields/fields';
import { readManifest } from '../manifests/read-manifest';
import { SETTINGS } from '../manifests/settings/schema';
import { CSV_FIELDS, CSV_PREFIX, RECORD_FIELDS } from '../report/record-fields';
import { FAULT_KINDS } from '../sandbox/faults/fault-rules';
import { parseFaultText } from '../sandbox/faults/fault-text';
import { CapturedStream } from './cli/capture';

const root = join(__dirname, '..');
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat(
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);
const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** The cells of a table's rows under the heading, without header and rule. */
const table = (page: string, heading: string): string[][] => {
  const [, after = ''] = read(page).split(`## ${heading}\n`);
  const lines = after.split('\n').slice(after.split('\n').findIndex((line) => line.startsWith('|')));
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};
/** As GitHub makes them. */
const anchors = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

async function help(...argv: string[]): Promise<string> {
  const stdout = new CapturedStream();
  const code = await runCli([...argv, '--help'], { stdout, stderr: new CapturedStream() });
  return code === 0 ? stdout.text : '';
}
const commandNames = async (): Promise<string[]> => {
  const [, list = ''] = (await help()).split('Commands:\n');
  const names = [...list.matchAll(/^ {2}([a-z]+) (?:\[|<| )/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'help');
};

describe('links', () => {
  test.each(pages)('of %s lead to files and headings that are there', (page) => {
    const missing = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
        return !existsSync(file) || (anchor !== undefined && !anchors(relative(root, file)).includes(anchor));
      });
    expect(missing).toEqual([]);
  });

  test('pictures are small', () => {
    for (const name of readdirSync(join(root, 'docs', 'images')))
      expect(statSync(join(root, 'docs', 'images', name)).size).toBeLessThan(200_000);
  });
});

describe('commands', () => {
  test('named anywhere exist in the program, with the flags given', async () => {
    const known = await commandNames();
    for (const page of pages) {
      const code = [...read(page).matchAll(/```[a-z]*\n([^]*?)```|`([^`\n]+)`/g)].map(
        (match) => match[1] ?? match[2] ?? '',
      );
      const lines = code.flatMap((text) => text.split('\n'));
      for (const [, name = '', flags = ''] of lines.flatMap((line) => [
        ...line.matchAll(/\breelay ([a-z]+)([^#&|]*)/g),
      ])) {
        expect({ page, name, known: known.includes(name) }).toEqual({ page, name, known: true });
        const text = await help(name);
        for (const [, flag = ''] of flags.matchAll(/\s(--[a-z][a-z-]+)/g))
          expect({ page, name, flag, known: text.includes(flag) }).toEqual({ page, name, flag, known: true });
      }
    }
  });

  test('are all in commands.md, each with the help it gives', async () => {
    const page = read('docs/reference/commands.md');
    const names = await commandNames();
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const block = new RegExp(
        `^## ${name}$[^]*?<!-- help: ${name} -->\\s+\`\`\`text\\n([^]*?)\`\`\`\\s+<!-- end -->`,
        'm',
      );
      // Wrapped as wide as the terminal is: only the words count.
      expect(words(block.exec(page)?.[1] ?? `no block for ${name}`)).toBe(words(await help(name)));
    }
  });
});

describe('tables', () => {
  test('README’s exit codes are those of the program', () => {
    const shown = table('README.md', 'Exit codes').map(([code, meaning]) => [Number(code), meaning]);
    expect(Object.fromEntries(shown)).toEqual({ ...EXIT_MEANING });
    const [, order = ''] = /the first of ([\d, ]+) is given/.exec(read('README.md')) ?? [];
    expect(order.split(', ').map(Number)).toEqual(PRECEDENCE.slice(0, order.split(', ').length));
  });

  test('README’s states are those of a row', () => {
    const shown = table('README.md', 'What happens to a row').map(([state]) => state?.replaceAll('`', ''));
    expect(shown.sort()).toEqual(Object.keys(TRANSITIONS).sort());
  });

  test('the fields and settings of manifests are all there', () => {
    const fields = table('docs/reference/manifests.md', 'Fields');
    expect(fields.map(([name, dotted]) => [name?.replaceAll('`', ''), dotted === 'yes'])).toEqual(
      Object.entries(FIELDS).map(([name, { perPlatform }]) => [name, perPlatform]),
    );
    for (const alias of Object.keys(FIELD_ALIASES)) expect(fields.flat().join(' ')).toContain(`\`${alias}\``);
    const settings = table('docs/reference/manifests.md', 'YAML').map(([name]) => name?.replaceAll('`', ''));
    expect(settings.sort()).toEqual([...Object.keys(SETTINGS), 'defaults', 'videos'].sort());
  });

  test('the columns of results are all there', () => {
    const shown = table('docs/reference/results.md', 'CSV').flatMap(([names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
    expect(shown.sort()).toEqual(CSV_FIELDS.map((field) => CSV_PREFIX + field).sort());
    const [, record = ''] = /A record has\n\n```\n([^`]+)```/.exec(read('docs/reference/results.md')) ?? [];
    expect(record.trim().split(/\s+/)).toEqual([...RECORD_FIELDS]);
  });

  test('times are those of the program', () => {
    const order: (keyof Timings)[][] = [
      ['pollMs', 'pollMaxMs'],
      ['settleMs', 'settleUploadMs'],
      ['lookGapMs'],
      ['reconcileForMs'],
      ['silentAfterMs', 'silentUnconfirmedMs'],
      ['retryAfterMaxMs'],
      ['throttledMs'],
      ['parkedProbeMs', 'parkedProbeMaxMs'],
    ];
    const ms = (cell = ''): number[] =>
      cell.split('; ').map((text) => Number.parseFloat(text) * (text.endsWith('min') ? 60_000 : 1_000));
    const shown = table('docs/explanation/how-it-works.md', 'Times').map(([, service, sandbox]) => [
      ms(service),
      ms(sandbox),
    ]);
    const timesOf = (timings: Timings) => (names: (keyof Timings)[]) => names.map((name) => timings[name]);
    expect(shown).toEqual(order.map((names) => [timesOf(PRODUCTION_TIMINGS)(names), timesOf(SANDBOX_TIMINGS)(names)]));
  });

  test('search attributes and faults of the sandbox are all there', () => {
    const attributes = table('docs/tasks/inspecting-runs.md', 'Filters').map(([name]) => name?.replaceAll('`', ''));
    expect(attributes).toEqual(Object.keys(SEARCH_ATTRIBUTES));
    const kinds = table('docs/tasks/sandbox.md', 'Faults').map(([kind]) => kind?.replaceAll('`', ''));
    expect(kinds.sort()).toEqual([...FAULT_KINDS].sort());
  });
});

describe('examples', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelay-docs-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test.each([
    ['README.md', 'csv'],
    ['docs/reference/manifests.md', 'yaml'],
  ])('the manifest in %s has no mistake', async (page, kind) => {
    const [, text = ''] = new RegExp(`\`\`\`${kind}\\n([^]*?)\`\`\``).exec(read(page)) ?? [];
    const files = [...text.matchAll(/clips\/([\w.-]+)/g)].map(([, name = '']) => name);
    const path = join(folder, `example.${kind}`);
    // Any file will do: that the example's videos exist is not the point.
    await writeFile(path, text.replaceAll('clips/', ''));
    for (const name of files)
      await writeFile(join(folder, name), readFileSync(join(root, 'manifests/examples/clips/garden-tour.mp4')));
    const platforms = [
      { name: 'platform_a', kind: 'short' as const },
      { name: 'platform_b', kind: 'long' as const },
    ];
    const reading = await readManifest({ path }, { platforms, now: Date.parse('2026-12-01T00:00:00Z') });
    expect(reading.problems).toEqual([]);
    expect(reading.rows.length).toBeGreaterThan(0);
  });

  test('the faults in sandbox.md can be ordered', () => {
    const faults = [...read('docs/tasks/sandbox.md').matchAll(/--fault '([^']+)'/g)].map(([, fault = '']) => fault);
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of faults) expect(() => parseFaultText(fault)).not.toThrow();
  });
});
