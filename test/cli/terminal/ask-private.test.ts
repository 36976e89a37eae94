import { PassThrough } from 'node:stream';
import { askPrivately, askUntilGood, looksLikeKey } from '../../../cli/terminal/ask-private';

const KEY = 'sk-live-4f9a8b7c6d5e4f3a2b1c';

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { streams: { input, output }, type: (keys: string) => input.write(keys), text: () => text };
}

test.each([KEY, 'AIzaSyA1234567890abcdefg', '9f86d081884c7d659a2feaa0c55ad015', 'eyJhbGciOi.J9.x', 'sk_live_abc'])(
  '%s looks like a key',
  (text) => {
    expect(looksLikeKey(text)).toBe(true);
  },
);

test.each([
  'REELAY_API_KEY',
  'REELAY_API_KEY_2',
  'MY_SERVICE_KEY_2026',
  'https://service.example/v1/abcdef1234567890',
  'api2.service-of-ours.example:8080',
  'localhost:4010',
  'my_key',
  '',
])('%s does not', (text) => {
  expect(looksLikeKey(text)).toBe(false);
});

test('a key that is pasted is never shown', async () => {
  const { streams, type, text } = terminal();
  const answer = askPrivately('Variable:', 'REELAY_API_KEY', streams);
  type(KEY);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  type('\r');
  await expect(answer).resolves.toBe(KEY);
  expect(text()).toContain('(hidden)');
  for (let at = 0; at + 4 <= KEY.length; at += 1) expect(text()).not.toContain(KEY.slice(at, at + 4));
});

test('any other answer is shown, and an empty one is the preset', async () => {
  const { streams, type, text } = terminal();
  const first = askPrivately('Address:', '', streams);
  type('https://a.example\r');
  await expect(first).resolves.toBe('https://a.example');
  expect(text()).toContain('https://a.example');
  const second = askPrivately('Variable:', 'REELAY_API_KEY', streams);
  type('\r');
  await expect(second).resolves.toBe('REELAY_API_KEY');
});

test('Ctrl-C ends the question', async () => {
  const { streams, type } = terminal();
  const answer = askPrivately('Address:', '', streams);
  type('\u0003');
  await expect(answer).rejects.toThrow('interrupted');
});

test('a bad answer is asked again, and not repeated', async () => {
  const answers = [KEY, 'nonsense', 'https://a.example'];
  const said: string[] = [];
  const problem = (answer: string) => (answer.startsWith('https:') ? null : 'That is not an address.');
  const asking = { question: 'Address:', problem };
  const ask = () => Promise.resolve(answers.shift() ?? '');
  await expect(askUntilGood(asking, (text) => void said.push(text), ask)).resolves.toBe('https://a.example');
  expect(said).toEqual([expect.stringContaining('looks like the key itself'), 'That is not an address.']);
  expect(said.join()).not.toContain(KEY);
});
