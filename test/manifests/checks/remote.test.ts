import { isPrivateHost } from '../../../manifests/checks/source/private-host';
import { readManifest } from '../../../manifests/read-manifest';
import { folder, list, NOW, PLATFORMS, removeFolders } from '../support';

afterAll(removeFolders);

/** As a URL would answer with it, on a machine with files beside it. */
async function remote(text: string, name: string, privateHosts: readonly string[] = []) {
  const base = folder({ 'secret.csv': 'the first line of a secret\n', 'clips/a.mp4': 'x' });
  const source = {
    text: Buffer.from(text),
    name,
    base,
    remote: { privateHosts, address: `https://sheets.example/${name}` },
  };
  return readManifest(source, { platforms: PLATFORMS, now: NOW, account: 'main' });
}

const sheet = (source: string) => `key,source,platform,profile\na,${source},short,Garden\n`;

test.each([
  '/etc/hostname',
  '../../../../etc/passwd',
  'clips/a.mp4',
  '~/.ssh/id_rsa',
  'file:///etc/passwd',
  'ftp://h.example/a.mp4',
])('a manifest from a URL can’t name the file %s', async (source) => {
  const reading = await remote(sheet(source), 'feed.csv');
  expect(list(reading)).toContain('error 2 source remote-file');
  expect(reading.rows).toEqual([]);
});

test.each([
  'http://127.0.0.1/a.mp4',
  'http://[::1]/a.mp4',
  'http://169.254.169.254/latest',
  'http://0x7f.1/a',
  'http://metadata.google.internal/',
  'http://10.1.2.3/a',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[fe80::1]/',
  'http://router/',
])('nor an address of the network it is read in: %s, unless the operator allows its host', async (source) => {
  expect(list(await remote(sheet(source), 'feed.csv'))).toContain('error 2 source remote-private-host');
  const allowed = await remote(sheet(source), 'feed.csv', [new URL(source).hostname]);
  expect(list(allowed).filter((one) => one.startsWith('error'))).toEqual([]);
});

test('nor sheets and folders, of which nothing is read or quoted, nor where notices go', async () => {
  for (const videos of ['secret.csv', '/etc/passwd', '{ folder: clips }']) {
    const reading = await remote(
      `version: 1\nnotify: { url: "https://stranger.example/" }\nvideos: ${videos}\n`,
      'feed.yaml',
    );
    expect(list(reading)).toEqual(['error 2 notify remote-notify', 'error 3 videos remote-file']);
    expect(JSON.stringify(reading.problems)).not.toMatch(/first line|root:/);
    expect(reading.sheet).toBeNull();
  }
});

test('a manifest from a URL may name public addresses', async () => {
  expect(list(await remote(sheet('https://videos.example/a.mp4'), 'feed.csv'))).toEqual([
    'warning 2 title title-missing',
  ]);
  expect(['8.8.8.8', '[2606:4700::1]', 'videos.example', '11.0.0.1', '172.32.0.1'].filter(isPrivateHost)).toEqual([]);
});
