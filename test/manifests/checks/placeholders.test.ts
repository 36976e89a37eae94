import { list, read } from '../support';

const sheet = (source: string, skip = '') => `key,title,source,platform,skip\na,A,${source},short,${skip}\n`;

test.each([
  'https://example.com/a.mp4',
  'https://cdn.example.org./a.mp4',
  'http://EXAMPLE.net/a.mp4',
  'https://videos.example/a.mp4',
  'https://a.invalid/a.mp4',
])('%s is refused where rows go to a real service, and nowhere else', async (source) => {
  const real = await read(sheet(source), { realService: true });
  expect(list(real)).toEqual(['error 2 source url-placeholder']);
  expect(real.problems[0]?.hint).toContain('--sandbox');
  expect(real.rows[0]?.deferredErrors).toHaveLength(1);
  expect(list(await read(sheet(source)))).toEqual([]);
});

test('a row that is skipped sends nothing, and names that only look alike are fine', async () => {
  expect(list(await read(sheet('https://example.com/a.mp4', 'yes'), { realService: true }))).toEqual([]);
  for (const host of ['my-example.com', 'example.com.de', 'examples.org', 'test.io'])
    expect(list(await read(sheet(`https://${host}/a.mp4`), { realService: true }))).toEqual([]);
});

test('a row for two platforms is reported once', async () => {
  const text = 'key,title,source,platform,privacy.long\na,A,https://example.com/a.mp4,short|long,private\n';
  expect(list(await read(text, { realService: true }))).toEqual(['error 2 source url-placeholder']);
});
