import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse } from 'yaml';
import { runCli } from '../../../cli/run-cli';
import { HOSTILE_TEXTS, UNSAFE_ON_A_TERMINAL } from '../../support/hostile-text';
import { CapturedStream } from '../capture';
import { type HostileService, startHostileService } from './hostile-service';

const before = { ...process.env };
let folder: string;
let service: HostileService | undefined;

beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'reelay-hostile-'))));
afterEach(async () => {
  process.env = { ...before };
  await service?.close();
  service = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function serve(text: string, status?: number, further?: string): Promise<void> {
  service = await startHostileService(text, status, further);
  process.env = {
    ...before,
    ...{ REELAY_HOME: join(folder, 'home'), REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'the-key-of-this-test' },
    ...{ TEMPORAL_ADDRESS: '127.0.0.1:1', REELAY_TEMPORAL_DOWNLOAD: 'never' },
  };
}

async function cli(args: readonly string[], columns?: number): Promise<{ code: number; out: string; said: string }> {
  const [stdout, stderr] = [new CapturedStream(columns), new CapturedStream(columns)];
  const code = await runCli(args, { stdout, stderr });
  return { code, out: stdout.text, said: stderr.text };
}

/** Every command that shows what the service answers, without a Temporal. */
function commands(text: string): string[][] {
  const sheet = join(folder, 'sheet.csv');
  return [
    ['profiles', 'list'],
    ['profiles', 'show', text],
    ['publications', 'list'],
    ['publications', 'list', '--platform', text],
    ['publications', 'show', text],
    ['publications', 'edit', text, '--title', 'New'],
    ['publications', 'adopt', text, '--campaign', 'c', '--key', text],
    ['publications', 'delete', text, '--yes'],
    ['plan', sheet],
    ['results', text],
    ['status', text],
    [text],
    ['check', sheet, `--${text}`],
  ];
}

function expectHarmless(shown: string, args: readonly string[]): void {
  expect([args, UNSAFE_ON_A_TERMINAL.exec(shown)?.[0].codePointAt(0)?.toString(16)]).toEqual([args, undefined]);
  expect([args, shown.split('\n').filter((line) => /^(INJECTED|notify:|- INJECTED)/.test(line))]).toEqual([args, []]);
}

describe.each([
  ['line ends', HOSTILE_TEXTS[0]!],
  ['terminal sequences', HOSTILE_TEXTS[3]! + HOSTILE_TEXTS[4]! + HOSTILE_TEXTS[5]!],
])('with %s in every field', (_, text) => {
  test.each([200, 403])(
    'no command that the service answers with %d writes controls or lines of its own',
    async (status) => {
      await serve(text, status);
      await writeFile(
        join(folder, 'sheet.csv'),
        'key,source,platform,profile\na,https://v.example/a.mp4,short,Garden\n',
      );
      for (const [index, args] of commands(text).entries()) {
        const { code, out, said } = await cli([...args, ...(index % 3 === 0 ? ['-o', 'json'] : [])]);
        expectHarmless(out + said, args);
        expect([args, code]).not.toEqual([args, 1]);
        const wide = await cli(args, 80);
        expectHarmless((wide.out + wide.said).replaceAll(/\u001b\[(?:[0-2]|3[1236])m/gu, ''), args);
      }
    },
  );
});

test.each([
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
])('deeply nested %s in an unknown field are an unreadable answer to every command', async (_, open, close) => {
  const depth = 20_000;
  await serve('p1', 200, `${open.repeat(depth)}${open === '[' ? '' : '1'}${close.repeat(depth)}`);
  for (const args of [
    ['publications'],
    ['profiles'],
    ['publications', 'show', 'p1'],
    ['publications', 'delete', 'p1'],
  ]) {
    for (const format of ['text', 'json']) {
      const { code, out, said } = await cli([...args, '-o', format]);
      expect([args, format, code]).toEqual([args, format, 7]);
      expect(out + said).toContain('nested');
    }
  }
});

test.each([400, 402, 404, 409, 410, 413, 418, 422, 425, 429, 500, 503])(
  'no command ends with 1 when the service answers everything with %d',
  async (status) => {
    await serve('p1', status);
    await writeFile(join(folder, 'sheet.csv'), 'key,source,platform\na,https://v.example/a.mp4,short\n');
    const more = [['init', '--dir', folder, '--force'], ['doctor']];
    for (const args of [...commands('p1'), ...more]) {
      const { code, out, said } = await cli(args);
      expect([args, code]).not.toEqual([args, 1]);
      expect([args, out + said]).not.toEqual([args, '']);
    }
  },
);

test.each(['.', '..', ' ', '', '\ud800', '../profiles', 'a?b#c', '%2e'])(
  'the id %j ends no command with 1',
  async (id) => {
    await serve('p1');
    for (const args of commands(id).filter(([name]) => name === 'publications' || name === 'profiles')) {
      const { code } = await cli(args);
      expect([args, code]).not.toEqual([args, 1]);
    }
    expect((await cli(['publications', 'delete', id, '--yes'])).code).toBe(
      id.trim().length > 0 && !/^\.+$/.test(id) ? 7 : 2,
    );
  },
);

test.each(HOSTILE_TEXTS.map((text) => [text]))(
  'the files that `init` writes hold nothing else, with %j in every field',
  async (text) => {
    await serve(text);
    const { code, said } = await cli(['init', '--dir', folder, '--force']);
    expect(code).toBe(0);
    expectHarmless(said, ['init']);
    const config = parse(await readFile(join(folder, 'reelay.config.yaml'), 'utf8')) as object;
    expect(config).toEqual({ base_url: service?.baseUrl, api_key_env: 'REELAY_API_KEY' });
    const manifest = parse(await readFile(join(folder, 'campaign.yaml'), 'utf8')) as { videos: object[] };
    expect(Object.keys(manifest)).toEqual(['version', 'campaign', 'defaults', 'videos']);
    expect(manifest.videos.map((video) => Object.keys(video).length)).toEqual([5, 7]);
    const sheet: string[][] = parseCsv(await readFile(join(folder, 'campaign.csv'), 'utf8'));
    expect(sheet.map((cells) => cells.length)).toEqual([8, 8, 8]);
    for (const cells of sheet) for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  },
);
