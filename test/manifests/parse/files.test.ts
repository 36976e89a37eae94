import { symlinkSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { readManifest } from '../../../manifests/read-manifest';
import { errors, folder, list, MP4, NOW, PLATFORMS, read, removeFolders } from '../support';

afterEach(removeFolders);

const csv = (...sources: string[]): string =>
  `title,source,platform\n${sources.map((source) => `T,"${source.replaceAll('"', '""')}",short\n`).join('')}`;

test('paths start at the manifest’s real folder, whatever the current one is', async () => {
  const real = folder({ 'jobs/m.csv': csv('clips/a.mp4'), 'jobs/clips/a.mp4': MP4 });
  const elsewhere = folder();
  symlinkSync(join(real, 'jobs/m.csv'), join(elsewhere, 'link.csv'));
  const reading = await readManifest({ path: join(elsewhere, 'link.csv') }, { platforms: PLATFORMS, now: NOW });
  expect(errors(reading)).toEqual([]);
  expect(reading.path).toBe(join(real, 'jobs/m.csv'));
  expect(reading.campaign).toBe('m');
  expect(reading.rows).toMatchObject([
    { source: join(real, 'jobs/clips/a.mp4'), key: 'clips/a.mp4', fileSize: MP4.length },
  ]);
});

test('a missing manifest is a problem with the path that was tried', async () => {
  const reading = await readManifest({ path: '/nowhere/m.csv' }, { platforms: PLATFORMS, now: NOW });
  expect(list(reading)).toEqual(['error - - manifest-unreadable']);
  expect(reading.problems[0]?.message).toContain('/nowhere/m.csv');
});

test('for a missing manifest, similar ones beside it are listed', async () => {
  const beside = folder({ 'spring.csv': '', 'autumn.yaml': '', 'notes.txt': '', 'empty/notes.txt': '' });
  const hintOf = async (name: string) =>
    (await readManifest({ path: join(beside, name) }, { platforms: PLATFORMS, now: NOW })).problems[0]?.hint;
  expect(await hintOf('sprng.csv')).toBe('Did you mean “spring.csv”?');
  expect(await hintOf('q.csv')).toBe('Check the path. In that folder are: autumn.yaml, spring.csv');
  expect(await hintOf('empty/q.csv')).toBe('Check the path; it is relative to the current folder.');
  expect(await hintOf('no/q.csv')).toBe(`There is no folder ${join(beside, 'no')} either; check the path.`);
});

test('names are literal, also those with glob characters', async () => {
  const names = [
    'Trip (April)/take [1].mp4',
    'star*name.mp4',
    'what?.mp4',
    'with blanks .mp4',
    '-dash.mp4',
    '東京 散歩.mp4',
    'a "final" cut.mp4',
  ];
  const base = folder(Object.fromEntries([...names, 'starXname.mp4'].map((name) => [name, MP4])));
  const reading = await read(csv(...names), { base });
  expect(list(reading)).toEqual([]);
  expect(reading.rows.map((row) => row.source)).toEqual(names.map((name) => join(base, name)));
});

test('a pattern matches nothing', async () => {
  expect(errors(await read(csv('*.mp4'), { base: folder({ 'a.mp4': MP4 }) }))).toEqual(['error 2 source file-missing']);
});

test.each([
  ['Clip.MP4', 'clip.mp4', 'upper and lower case'],
  ['Gru\u0308n.mp4', 'Gr\u00fcn.mp4', 'accents'],
  ['kitchen.mp4', 'kitchn.mp4', 'similar'],
])('where %s is there and %s isn’t, that is said', async (there, written, words) => {
  const reading = await read(csv(written), { base: folder({ [there]: MP4 }) });
  expect(errors(reading)).toEqual(['error 2 source file-missing']);
  expect(reading.problems[0]?.message).toContain(words);
});

test('a missing folder is named rather than the file alone', async () => {
  const base = folder();
  expect((await read(csv('no/such/a.mp4'), { base })).problems[0]?.message).toContain(`its folder ${base}/no`);
});

test('folders, sockets, empty files and dangling links are distinguished', async () => {
  const base = folder({ 'dir/x': 'x', 'empty.mp4': '' });
  const server = createServer().listen(join(base, 'socket.mp4'));
  await once(server, 'listening');
  symlinkSync('gone', join(base, 'link.mp4'));
  const reading = await read(csv('dir', 'socket.mp4', 'empty.mp4', 'link.mp4', 'empty.mp4/x'), { base });
  server.close();
  expect(errors(reading)).toEqual([
    'error 2 source file-not-regular',
    'error 3 source file-not-regular',
    'error 4 source file-empty',
    'error 5 source file-missing',
    'error 6 source file-missing',
  ]);
});

test('content that isn’t a video is warned of by what it is', async () => {
  const base = folder({
    'page.mp4': '<!doctype html><p>Not found',
    'lfs.mp4': 'version https://git-lfs.github.com/spec/v1\n',
    'ok.mp4': MP4,
  });
  const reading = await read(csv('page.mp4', 'lfs.mp4', 'ok.mp4'), { base });
  expect(list(reading)).toEqual(['warning 2 source file-not-video', 'warning 3 source file-not-video']);
  expect(reading.problems.map((one) => one.message).join()).toMatch(/web page.*Git LFS/);
});

test('a direct publish refuses large files and other formats', async () => {
  const base = folder({ 'big.mp4': MP4, 'limit.mp4': MP4, 'a.mkv': Buffer.from('\x1a\x45\xdf\xa3....webm', 'latin1') });
  truncateSync(join(base, 'big.mp4'), 500_000_001);
  truncateSync(join(base, 'limit.mp4'), 500_000_000);
  const rows = ['big.mp4', 'limit.mp4', 'a.mkv'].map((name) => `T,${name},short,Garden,direct\n`).join('');
  const reading = await read(`title,source,platform,profile,via\n${rows}`, { base });
  expect(errors(reading)).toEqual(['error 2 source direct-too-large', 'error 4 source direct-format']);
  expect(reading.problems.find(({ code }) => code === 'direct-too-large')?.message).toContain(
    ' has 500 MB (500,000,001 bytes); a direct publish takes at most 500 MB.',
  );
});

test('size and time of the file go along', async () => {
  const base = folder({ 'a.mp4': MP4 });
  utimesSync(join(base, 'a.mp4'), 1_700_000_000, 1_700_000_000);
  expect((await read(csv('a.mp4'), { base })).rows[0]).toMatchObject({
    fileSize: MP4.length,
    fileModifiedMs: 1_700_000_000_000,
  });
});

test('a file missing for two platforms is reported once, beside the row’s other problems', async () => {
  const text = `title,source,platform\n${'x'.repeat(200)},gone.mp4,short|long\n`;
  const reading = await read(text, { base: folder(), defaults: { 'privacy.long': 'public' } });
  expect(errors(reading)).toEqual([
    'error 2 title title-too-long',
    'error 2 title title-too-long',
    'error 2 source file-missing',
  ]);
});

test.each([
  ['~/a.mp4', '“~” isn’t expanded'],
  ['C:\\clips\\a.mp4', 'Paths are written with “/”'],
  ['www.example.com/a.mp4', 'https://'],
])('%s gets advice', async (source, hint) => {
  expect((await read(csv(source), { base: folder() })).problems[0]).toMatchObject({
    code: 'file-missing',
    hint: expect.stringContaining(hint),
  });
});

test.each([
  'ftp://example.com/a.mp4',
  'file:///a.mp4',
  'https://',
  'https://user:secret@example.com/a.mp4',
  'https://example.com/a b.mp4',
])('the URL %s is refused without showing a secret', async (source) => {
  const reading = await read(csv(source));
  expect(errors(reading)).toEqual(['error 2 source source-url']);
  expect(JSON.stringify(reading.problems)).not.toContain('secret');
});

test('an address of the own network is warned of', async () => {
  expect(list(await read(csv('http://192.168.0.4/a.mp4', 'http://localhost:80/a.mp4')))).toEqual([
    'warning 2 source url-not-public',
    'warning 3 source url-not-public',
  ]);
});
