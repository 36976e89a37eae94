import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { PRODUCTION_TIMINGS, SANDBOX_TIMINGS, type Timings } from '../activities/timings';
import { configSchema } from '../cli/config/config';
import { EXIT_MEANING, PRECEDENCE } from '../cli/errors/exit-codes';
import { runCli } from '../cli/run-cli';
import { STATE_WORDS } from '../cli/terminal/texts/state-words';
import { SEARCH_ATTRIBUTES } from '../temporal/search-attributes';
import { TRANSITIONS } from '../ledger/model/states';
import { FIELD_ALIASES, FIELDS } from '../manifests/fields/fields';
import { readManifest } from '../manifests/read-manifest';
import { readPace, withZone } from '../manifests/settings/pace';
import { PACE_SCHEMA } from '../manifests/settings/pace-schema';
import { SCHEDULE_SCHEMA } from '../manifests/settings/schedule-setting';
import { SETTINGS } from '../manifests/settings/schema';
import { CSV_FIELDS, CSV_PREFIX, RECORD_FIELDS } from '../report/record-fields';
import { FAULT_KINDS } from '../sandbox/faults/fault-rules';
import { parseFaultText } from '../sandbox/faults/fault-text';
import { CapturedStream } from './cli/capture';
import { SCREENS } from './e2e/support/screens';

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
  const [, after = ''] = read(page).split(new RegExp(`^#+ ${heading}$`, 'm'));
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
/** A cell's text, without its Markdown. */
const plain = (cell = ''): string => cell.replaceAll('&#124;', '|').replace(/`|\\(?=[_*])/g, '');
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

  test('lead from docs/README.md to every page', () => {
    const reached = new Set(['docs/README.md']);
    for (const page of reached) {
      for (const [, link = ''] of read(page).matchAll(/\]\(([^)\s#]+)/g)) {
        const target = relative(root, resolve(root, dirname(page), link));
        if (pages.includes(target) && target.startsWith('docs/')) reached.add(target);
      }
    }
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });

  test('pictures are small', () => {
    for (const name of readdirSync(join(root, 'docs', 'images')))
      expect(statSync(join(root, 'docs', 'images', name)).size).toBeLessThan(200_000);
  });
});

describe('pages', () => {
  test.each(pages)('%s opens with a paragraph after its title', (page) => {
    const [title = '', blank = '', first = ''] = read(page).split('\n');
    expect([/^# \S/.test(title), blank, /^(?:[\p{L}“]|`[^`]+` \p{Ll}|\*\*\p{L}|\[\p{L})/u.test(first)]).toEqual([
      true,
      '',
      true,
    ]);
  });

  test.each(pages.filter((page) => page !== 'CHANGELOG.md'))(
    '%s has none of the words that a reader must decode',
    (page) => {
      const phrases =
        /\bmend(?:s|ed|ing)?\b|\bwhoever\b|\bnobody\b|\b(?:is|are|was|were) told\b|\bso many\b|\b(?:goes|go|went) on\b|\bwhat came of\b|\banew\b|\bended as asked\b|\bsee to the disk\b|\boutput format\b|\bfaults? to order\b/gi;
      // The words of commands are edited where they are written, in cli/.
      const prose = read(page).replace(/<!-- help: [^]*?<!-- end -->/g, '');
      expect(prose.match(phrases) ?? []).toEqual([]);
    },
  );
});

describe('architecture.md', () => {
  const page = 'docs/architecture.md';

  test('has every room with what it may import', () => {
    const [, rooms = ''] = /^const rooms = \{\n([^]*?)^\};/m.exec(read('eslint.config.mjs')) ?? [];
    const allowed = [...rooms.matchAll(/^ {2}(\w+): \[(.*)\],$/gm)].map(([, room = '', list = '']) => [
      room,
      list === '' ? 'nothing' : list.replaceAll("'", ''),
    ]);
    expect(allowed.length).toBeGreaterThan(10);
    const shown = table(page, 'Rooms').map(([room, list]) => [plain(room), plain(list).replace(' (types only)', '')]);
    expect(Object.fromEntries(shown)).toEqual({ ...Object.fromEntries(allowed), cli: 'all' });
    for (const [room] of shown) expect(read(page)).toContain(`**\`${room ?? ''}/\`**`);
  });

  test('names files and folders that are there', () => {
    const named = [...read(page).matchAll(/`((?:[a-z-]+\/)+[a-z-]+(?:\.ts|\/)?)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    const missing = named.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.ts`)));
    expect(missing).toEqual([]);
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
  test.each([
    ['README.md', 'Exit codes'],
    ['docs/reference/exit-codes.md', 'Exit codes'],
  ])('the exit codes in %s are those of the program', (page, heading) => {
    const shown = table(page, heading).map(([code, meaning]) => [Number(code), meaning]);
    expect(Object.fromEntries(shown)).toEqual({ ...EXIT_MEANING });
    const [, order = ''] = /the first in this order is returned: ([\d, ]+)\./.exec(read(page)) ?? [];
    expect(order.split(', ').map(Number)).toEqual(PRECEDENCE.slice(0, 7));
  });

  test('the states are those of a row, with every move between them', () => {
    const names = table('README.md', 'What happens to a row').map(([state]) => plain(state));
    expect(names.sort()).toEqual(Object.keys(TRANSITIONS).sort());
    const states = table('docs/reference/row-states.md', 'States').map(([state, meaning]) => [plain(state), meaning]);
    expect(states).toEqual(Object.entries(STATE_WORDS).map(([state, { meaning }]) => [state, meaning]));
    const moves = table('docs/reference/row-states.md', 'Moves').map(([from, to, when]) => [
      plain(from),
      plain(to),
      when,
    ]);
    expect(moves).toEqual(
      Object.entries(TRANSITIONS).flatMap(([from, ways]) => Object.entries(ways).map(([to, when]) => [from, to, when])),
    );
  });

  test('the fields and settings of manifests are all there, as the code describes them', () => {
    const fields = table('docs/reference/manifests.md', 'Fields');
    expect(
      fields.map(([name, dotted, text]) => [plain(name), dotted === 'yes', plain(text).split(' Also ')[0]]),
    ).toEqual(Object.entries(FIELDS).map(([name, { perPlatform, description }]) => [name, perPlatform, description]));
    for (const alias of Object.keys(FIELD_ALIASES)) expect(fields.flat().join(' ')).toContain(`\`${alias}\``);
    const settings = table('docs/reference/manifests.md', 'YAML').map(([name, text]) => [plain(name), plain(text)]);
    expect(settings.map(([name]) => name)).toEqual([...Object.keys(SETTINGS), 'defaults', 'videos']);
    expect(settings.slice(0, -2)).toEqual(
      Object.entries(SETTINGS).map(([name, { description }]) => [name, description]),
    );
  });

  test('the settings of pace and schedules are all there', () => {
    const pace = table('docs/tasks/pace.md', 'Pace').map(([name]) => plain(name));
    expect(pace).toEqual(Object.keys(PACE_SCHEMA.shape));
    const schedule = table('docs/tasks/schedules.md', 'In the manifest').map(([name]) => plain(name));
    expect(schedule).toEqual(Object.keys(SCHEDULE_SCHEMA.shape));
  });

  test('the keys of the config and the variables of the environment are all there', () => {
    const keys = table('docs/reference/settings.md', 'Config').map(([key]) => plain(key));
    expect(keys.sort()).toEqual(Object.keys(configSchema.shape).sort());
    const shown = /## Environment\n([^]*?)\n## /.exec(read('docs/reference/settings.md'))?.[1] ?? '';
    const variables = ['cli', 'embedded', 'service'].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => [...readFileSync(join(root, room, name), 'utf8').matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]+)/g)])
        .map(([, name = '']) => name),
    );
    expect(variables).toEqual(expect.arrayContaining(['REELAY_HOME', 'TEMPORAL_ADDRESS']));
    expect(
      variables.filter((name) => /^(REELAY_|TEMPORAL_|NO_|TERM$|HTTP)/.test(name) && !shown.includes(`\`${name}\``)),
    ).toEqual([]);
  });

  test('the columns of results are all there', () => {
    const shown = table('docs/reference/results.md', 'CSV').flatMap(([names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
    expect(shown.sort()).toEqual(CSV_FIELDS.map((field) => CSV_PREFIX + field).sort());
    const [, record = ''] = /A record has\n\n```\n([^`]+)```/.exec(read('docs/reference/json.md')) ?? [];
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
    ['docs/tasks/recipes.md', 'csv'],
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

  test('the recipes of a pace can be read', () => {
    const recipes = table('docs/tasks/recipes.md', 'Pace').map(([, settings = '']) => settings);
    expect(recipes.length).toBeGreaterThan(5);
    for (const recipe of recipes) {
      const settings = [...recipe.matchAll(/`([^`]+)`/g)].map(([, setting = '']) => setting).join('\n');
      expect(withZone(readPace(parse(settings)), 'Europe/Berlin')).not.toBeNull();
    }
  });

  test('the faults in sandbox.md can be ordered', () => {
    const faults = [...read('docs/tasks/sandbox.md').matchAll(/--fault '([^']+)'/g)].map(([, fault = '']) => fault);
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of faults) expect(() => parseFaultText(fault)).not.toThrow();
  });
});

test('every picture is one that `scripts/screenshots.js` makes, and a page shows it', () => {
  const made = SCREENS.map(({ name }) => `${name}.png`).sort();
  expect(readdirSync(join(root, 'docs', 'images')).sort()).toEqual(made);
  const shown = pages.flatMap((page) =>
    [...read(page).matchAll(/!\[[^\]]+\]\([^)]*images\/([^)]+)\)/g)].map(([, name]) => name),
  );
  expect([...new Set(shown)].sort()).toEqual(made);
});
