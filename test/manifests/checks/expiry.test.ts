import { list, NOW, read } from '../support';

const LATER = '2026-06-05T12:00:00Z';
const seconds = (time: string) => String(Date.parse(time) / 1000);

test.each([
  ['an AWS signature', 'X-Amz-Date=20260601T000000Z&X-Amz-Expires=3600&X-Amz-Signature=s'],
  ['a Google signature', 'X-Goog-Date=20260601T000000Z&X-Goog-Expires=3600&X-Goog-Signature=s'],
  ['a time in seconds', `Expires=${seconds('2026-06-05T11:59:59Z')}&Signature=s`],
  ['an Azure signature', 'se=2026-06-02T00:00:00Z&sig=s'],
])('a URL with %s that ends before its publish_at is warned of, without its query', async (_what, query) => {
  const url = `https://videos.example/a.mp4?${query}`;
  const reading = await read(`key,title,source,platform,publish_at\na,A,${url},short,${LATER}\n`);
  expect(list(reading)).toEqual(['warning 2 source url-expires']);
  expect(JSON.stringify(reading.problems)).not.toContain(query);
  expect(list(await read(`key,title,source,platform\na,A,${url},short\n`))).toEqual([]);
});

test.each([
  ['lasts long enough', `Expires=${seconds('2026-06-05T12:00:01Z')}`],
  ['says a duration only', 'Expires=3600'],
  ['says nothing of it', 'v=1&se=yes'],
])('a URL that %s is not', async (_what, query) => {
  const url = `https://videos.example/a.mp4?${query}`;
  expect(list(await read(`key,title,source,platform,publish_at\na,A,${url},short,${LATER}\n`))).toEqual([]);
});

test('a URL that has expired is warned of for a row that is sent at once', async () => {
  const query = `Expires=${String(NOW / 1000 - 1)}`;
  const reading = await read(`key,title,source,platform\na,A,https://videos.example/a.mp4?${query},short\n`);
  expect(list(reading)).toEqual(['warning 2 source url-expires']);
});
