import fc from 'fast-check';
import { normaliseApiKey } from '../../../service/secrets/api-key';
import { parseBaseUrl } from '../../../service/connection/base-url';
import { ServiceClient } from '../../../service/api/client';
import { ServiceConfigError } from '../../../service/config-error';
import { parseJson } from '../../../service/http/json';
import { countCharacters } from '../../../service/limits';
import { escapeName } from '../../../service/upload/multipart';
import { createRedactor, excerptOf } from '../../../service/secrets/redact';
import { parseHttpDate, parseRetryAfter } from '../../../service/http/retry-after';
import { thrownBy } from '../local-servers';

describe('parseBaseUrl', () => {
  test.each([
    ['https://v.example', 'https://v.example', ''],
    ['https://v.example/', 'https://v.example', ''],
    ['https://V.example:443/v1', 'https://v.example', ''],
    ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080', ''],
    [' https://v.example/api/video/v1//\n', 'https://v.example', '/api/video'],
    ['https://v.example/v1/v1x', 'https://v.example', '/v1/v1x'],
    ['http://[::1]:9', 'http://[::1]:9', ''],
  ])('%j is %s with the prefix %j', (text, origin, prefix) => {
    expect(parseBaseUrl(text)).toMatchObject({ origin, prefix });
  });

  test.each([
    'https://v.example/api',
    'HTTPS://V.Example:443/api/',
    'https://v.example./api/v1',
    'https://v.example//api//v1//',
    'https://v.example/./x/../api',
    'https://%76.example/api',
  ])('%j is the same address, however it is written', (text) => {
    expect(parseBaseUrl(text)).toEqual({
      origin: 'https://v.example',
      prefix: '/api',
      href: 'https://v.example/api',
      service: 'v.example/api',
    });
  });

  test('one service has the same name at either scheme, and at each name of this machine', () => {
    const service = (text: string) => parseBaseUrl(text).service;
    expect(service('http://v.example')).toBe(service('https://v.example'));
    const local = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://LOCALHOST.:8080/', 'http://127.1:8080'];
    expect(new Set([...local, 'http://[::1]:8080'].map((text) => parseBaseUrl(text).href)).size).toBe(1);
    expect(service('http://127.0.0.1:8080')).not.toBe(service('http://127.0.0.1:8081'));
    // What is requested stays as it was written: only one of them may answer.
    expect(parseBaseUrl('http://localhost:8080').origin).toBe('http://localhost:8080');
  });

  test.each([
    ['', /is empty/],
    ['v.example/v1', /"v\.example\/v1" must begin with https/],
    ['localhost:8080', /must begin with https/],
    ['ftp://v.example', /only https:\/\/ and http:\/\//],
    ['https://v .example', /space/],
    ['https://v.example/a\tb', /control character/],
    ['https://', /cannot be read/],
    ['https://v.example?x=1', /before any \?/],
    ['https://v.example/#', /before any \?/],
  ])('%j is refused', (text, says) => {
    expect(() => parseBaseUrl(text)).toThrow(ServiceConfigError);
    expect(() => parseBaseUrl(text)).toThrow(says);
  });

  test.each(['https://me:hush@v.example', 'me:hush@v.example', 'https://v.example?key=hush', 'https://me:hush@:x'])(
    'the refusal of %j does not show its secret',
    (text) => {
      expect(thrownBy(() => parseBaseUrl(text)).message).not.toContain('hush');
    },
  );
});

describe('normaliseApiKey', () => {
  test.each(['k-1\n', 'k-1\r\n', '\uFEFFk-1', '  k-1 '])('%j is the key k-1', (text) => {
    expect(normaliseApiKey(text)).toBe('k-1');
  });

  test.each([
    ['', /is empty/],
    [' \n', /is empty/],
    ['hush\nhush', /line break at position 5 of 9/],
    ['hush\u0000x', /control character at position 5/],
    ['hush hush', /blank at position 5/],
    ['hush’', /at position 5 of 5 that no key has/],
    ['Bearer hush', /give the key alone/],
  ])('%j is refused without being shown', (text, says) => {
    expect(() => normaliseApiKey(text)).toThrow(says);
    expect(thrownBy(() => normaliseApiKey(text)).message).not.toContain('hush');
  });
});

test.each([{ connectMs: 0 }, { answerMs: -1 }, { uploadStallMs: NaN }, { uploadTotalMs: 2 ** 31 }])(
  'the time limit %j is refused',
  (limits) => {
    const make = () => new ServiceClient({ baseUrl: 'http://127.0.0.1', apiKey: 'k', limits, environment: {} });
    expect(make).toThrow(ServiceConfigError);
  },
);

describe('parseRetryAfter', () => {
  const now = Date.UTC(1994, 10, 6, 8, 48, 7);
  test.each([
    ['2', 2000],
    ['0', 0],
    [' 120 ', 120_000],
    ['86400', 86_400_000],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 90_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 90_000],
    ['Sun Nov  6 08:49:37 1994', 90_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Sun, 06 Foo 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994 25:49:37 GMT', undefined],
    [['2', '7', 'soon'], 7000],
    ['2, 7', 7000],
    ['2, Sun, 06 Nov 1994 08:49:37 GMT', 90_000],
    [[], undefined],
  ] as const)('%j asks to wait %p ms', (value, wait) => {
    expect(parseRetryAfter(value, now)).toBe(wait);
  });

  test('every date is read back as it was written', () => {
    const max = Date.UTC(9999, 0);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: max / 1000 }), (s) => {
        expect(parseHttpDate(new Date(s * 1000).toUTCString())).toBe(s * 1000);
      }),
    );
  });

  test('whatever comes, the wait is undefined or a number from 0 on', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (value) => {
        expect(parseRetryAfter(value, now) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('redacting', () => {
  const redact = createRedactor(['s3cr3t/+"x']);
  test.each([
    ['a s3cr3t/+"x b', 'a *** b'],
    ['{"k":"s3cr3t/+\\"x"}', '{"k":"***"}'],
    ['q=s3cr3t%2F%2B%22x.', 'q=***.'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['see https://h/p?a=1&X-Sig=2 now', 'see https://h/p?*** now'],
    ['"https:\\/\\/h\\/p?a=1\\u0026b=2"', '"https:\\/\\/h\\/p?***"'],
    ['http://me:pw@proxy:1/', 'http://***@proxy:1/'],
    ['{"api_key": "abc", "n": 1}', '{"api_key": "***", "n": 1}'],
    ['token=abc&x=1', 'token=***&x=1'],
    ['X-Api-Key: abc', 'X-Api-Key: ***'],
    ['the title is too long', 'the title is too long'],
  ])('%j becomes %j', (text, masked) => {
    expect(redact(text)).toBe(masked);
  });

  const KEY = 'rk_live/8f3+Qz?1';
  const bytes = Buffer.from(KEY);
  test.each([
    ['base64', bytes.toString('base64')],
    ['base64 without padding', bytes.toString('base64').replaceAll('=', '')],
    ['URL-safe base64', bytes.toString('base64url')],
    ['hexadecimal', bytes.toString('hex')],
    ['hexadecimal in capitals', bytes.toString('hex').toUpperCase()],
    ['base64 of the header', Buffer.from(`Bearer ${KEY}`).toString('base64')],
    ['base64 of user and password', Buffer.from(`me:${KEY}@`).toString('base64')],
    ['URL-safe base64 of a header line', Buffer.from(`x-key: ${KEY}\r\n`).toString('base64url')],
  ])('the key is masked as %s', (_, form) => {
    const shown = createRedactor([KEY])(`seen ${form} here`);
    expect(shown).toContain('***');
    for (let from = 0; from + 8 <= form.length; from += 1)
      if (
        Buffer.from(form.slice(from, from + 8), 'base64')
          .toString('latin1')
          .includes('live')
      )
        expect(shown).not.toContain(form.slice(from, from + 8));
    expect(shown).not.toContain(form.slice(4, -6));
  });

  test('an excerpt is one line of at most 300 characters without control characters', () => {
    expect(excerptOf(' \u001b[31ma\r\n\tb\u202ec ', redact)).toBe('[31ma b c');
    expect(excerptOf(' \n', redact)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const excerpt = excerptOf(text, redact) ?? '';
        expect(Array.from(excerpt).length).toBeLessThanOrEqual(300);
        expect(excerpt).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('parseJson', () => {
  test('big whole numbers become texts, everything else stays', () => {
    const text =
      '{"id":12345678901234567890,"s":"12345678901234567890 \\" 1","n":[-98765432109876543210,1.5,9007199254740991]}';
    expect(parseJson(text)).toEqual({
      id: '12345678901234567890',
      s: '12345678901234567890 " 1',
      n: ['-98765432109876543210', 1.5, 9007199254740991],
    });
  });

  test('without big numbers it is JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const big: unknown[] = [];
        const value: unknown = JSON.parse(text, (_key, each: unknown) => {
          if (Number.isInteger(each) && !Number.isSafeInteger(each)) big.push(each);
          return each;
        });
        const long = JSON.stringify({ x: value, pad: '1234567890123456' });
        if (big.length === 0) expect(parseJson(long)).toEqual(JSON.parse(long));
      }),
    );
  });

  test('half a JSON is an error', () => {
    expect(() => parseJson('{"id":12345678901234567890')).toThrow(SyntaxError);
  });
});

test('characters are counted by code point', () => {
  expect(['', 'a', 'é', '字', '👨‍👩‍👧‍👦', 'a\ud800'].map(countCharacters)).toEqual([0, 1, 1, 1, 7, 2]);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => countCharacters(text) === Array.from(text).length));
});

test('a file name can put nothing into the form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(escapeName(name)).not.toMatch(/["\\\r\n\u0000-\u001f]/);
    }),
  );
});
