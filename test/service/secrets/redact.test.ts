import { createRedactor, excerptOf } from '../../../service/secrets/redact';

const redact = createRedactor(['own-key']);

test.each([
  ['a.b.my_access_token_2=abc&x=1', 'a.b.my_access_token_2=***&x=1'],
  ['{"x_api_key" : "a\\"b", "n": 1}', '{"x_api_key" : "***", "n": 1}'],
  ['X-Api-Key: abc', 'X-Api-Key: ***'],
  ['sig=abc, signal=abc', 'sig=***, signal=abc'],
  [
    'see https://u:p@a.example/v?x=1#y and http://b.example/?',
    'see https://***@a.example/v?*** and http://b.example/?',
  ],
  ['{"u":"https:\\/\\/a.example\\/v?x=1"}', '{"u":"https:\\/\\/a.example\\/v?***"}'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
  ['it is own-key', 'it is ***'],
])('%s is shown as %s', (text, shown) => {
  expect(redact(text)).toBe(shown);
});

// With an expression that tries every letter as the beginning of a name, the first of these takes minutes, the last days.
test.each(['a.', 'http://', 'token', 'token ', '"token":', 'a:', 'sig = ', 'a'])(
  'two megabytes of %j are masked at once',
  (piece) => {
    expect(excerptOf(piece.repeat(2_000_000 / piece.length), redact)).not.toBe('');
  },
);
