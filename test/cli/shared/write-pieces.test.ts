import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePieces } from '../../../cli/shared/write-pieces';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'reelay-out-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* text(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

test('a device stays one, and takes what is written', async () => {
  await writePieces('/dev/null', text('a', 'b'));
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
});

test('a full device is an error of its own, and stays what it is', async () => {
  await expect(writePieces('/dev/full', text('a'))).rejects.toMatchObject({ code: 'ENOSPC' });
  expect((await stat('/dev/full')).isCharacterDevice()).toBe(true);
});

const shared = existsSync('/dev/shm') ? test : test.skip;
shared('a disk below /dev is one: folders are made, and a file is complete or not there', async () => {
  const disk = await mkdtemp('/dev/shm/reelay-out-');
  try {
    await writePieces(join(disk, 'results', 'results.csv'), text('new'));
    expect(await readFile(join(disk, 'results', 'results.csv'), 'utf8')).toBe('new');
  } finally {
    await rm(disk, { recursive: true, force: true });
  }
});

test('a pipe gets the text, and stays a pipe', async () => {
  const fifo = join(folder, 'pipe');
  execFileSync('mkfifo', [fifo]);
  const read = readFile(fifo, 'utf8');
  await writePieces(fifo, text('one\n', 'two\n'));
  expect(await read).toBe('one\ntwo\n');
  expect((await lstat(fifo)).isFIFO()).toBe(true);
});

test.each(['a file', 'nothing yet'])('a symbolic link to %s stays one, and its target gets the text', async (what) => {
  const target = join(folder, 'target.csv');
  const link = join(folder, 'link.csv');
  if (what === 'a file') await writeFile(target, 'old', { mode: 0o640 });
  await symlink('target.csv', link);
  await writePieces(link, text('new'));
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(target, 'utf8')).toBe('new');
  expect((await stat(target)).mode & 0o777).toBe(what === 'a file' ? 0o640 : 0o600);
});

test('a file is as it was where its new text can’t be had', async () => {
  const file = join(folder, 'results.csv');
  await writeFile(file, 'old');
  const broken = (async function* () {
    yield 'new';
    throw new Error('no more');
  })();
  await expect(writePieces(file, broken)).rejects.toThrow('no more');
  expect(await readFile(file, 'utf8')).toBe('old');
});

test('a link under a name that could be guessed leads nowhere, and two writers share no temporary file', async () => {
  const victim = join(folder, 'victim');
  await writeFile(victim, 'theirs');
  const out = join(folder, 'out.csv');
  await symlink(victim, `${out}.${String(process.pid)}.part`);
  await Promise.all([writePieces(out, text('a', 'b')), writePieces(out, text('a', 'b'))]);
  expect(await readFile(victim, 'utf8')).toBe('theirs');
  expect((await lstat(out)).isFile()).toBe(true);
  expect(await readFile(out, 'utf8')).toBe('ab');
});
