import fc from 'fast-check';
import { type ReadOptions } from '../../manifests/types';

export interface FuzzInput {
  name: string;
  bytes: Buffer;
  options: Partial<ReadOptions>;
}

/** Inputs stay below this: what is looked for is a small file with a large effect. */
const MAX_BYTES = 32_768;

/** What means something to a CSV, a YAML, a decoder or the checks. */
const TOKENS = [
  ...['"', '""', ',', ';', '\t', '|', '\n', '\r', '\r\n', 'sep=;\n', '\ufeff', '\u0000', '\ufffd', '\u202e', '=', "'"],
  ...['- ', ': ', '{', '}', '[', ']', '<<: *a', '<<: ', '&a ', '*a', '? ', '!!str ', '!!binary ', '!x ', ' #', '---\n'],
  ...[
    '...\n',
    '%YAML 1.1\n---\n',
    '|\n',
    '>-\n',
    '@',
    '`',
    '%',
    '~',
    'no',
    '1e3',
    '.inf',
    '0x1F',
    '2026-06-31',
    '\n  ',
  ],
  ...['videos:\n', 'videos: ', 'defaults: ', 'columns: ', 'pace: ', 'timezone: ', 'date_format: ', 'canary: ', 'x-a: '],
  ...[
    'title',
    'source',
    'platform',
    'privacy',
    'publish_at',
    'publish_time',
    'key',
    'profile',
    'skip',
    'via',
    'status',
  ],
  ...[
    'reelay_key',
    'reelay_campaign',
    'reelay_platform',
    'short|long',
    'platform_a',
    'https://e.example/a.mp4',
    '../..',
  ],
  ...[
    '2026-10-25 02:30',
    '12/01/2026 9:00 AM',
    '[Europe/Berlin]',
    '+02:00',
    '9'.repeat(400),
    'x'.repeat(200),
    '__proto__',
  ],
].map((text) => Buffer.from(text));
const BYTES = ['fffe', 'feff', 'efbbbf', 'c3', 'e28080', 'eda080', 'f09f98', '504b0304', '1f8b', '00d8', '80'].map(
  (hex) => Buffer.from(hex, 'hex'),
);

const TOP = 'version: 1\ntimezone: UTC\n';
const levels = (count: number, make: (level: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

/** Small files that once took minutes or all memory: patterns of many stars, aliases and merges that multiply, nesting. */
export const COSTLY_SEEDS: readonly Buffer[] = [
  `${TOP}videos: {folder: in, pattern: "${'*a'.repeat(40)}*b"}\n`,
  `${TOP}x-0: &l0 [a, a, a, a, a, a, a, a, a]\n${levels(9, (i) => `x-${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]\n`)}videos: *l9\n`,
  `${TOP}x-0: &m0 {title: T}\n${levels(60, (i) => `x-${i + 1}: &m${i + 1} {<<: [*m${i}, *m${i}], k${i}: v}\n`)}videos:\n  - <<: *m60\n`,
  `${TOP}videos: ${'['.repeat(1_500)}${']'.repeat(1_500)}\n`,
  `${TOP}x-a: ${'{x: '.repeat(1_000)}1${'}'.repeat(1_000)}\nvideos: []\n`,
  `${TOP}date_format: "${'YYYY '.repeat(300)}"\nvideos: []\n`,
].map((text) => Buffer.from(text));

type Change = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const span = fc.tuple(place, fc.integer({ min: 0, max: 200 }));
const at = (bytes: Buffer, share: number): number => Math.floor(bytes.length * share);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, fc.constantFrom(...TOKENS, ...BYTES)).map(
    ([where, token]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), token, bytes.subarray(at(bytes, where))]),
  ),
  fc.tuple(place, fc.integer({ min: 0, max: 255 })).map(([where, value]): Change => (bytes) => {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[Math.min(changed.length - 1, at(bytes, where))] = value;
    return changed;
  }),
  span.map(
    ([where, length]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), bytes.subarray(at(bytes, where) + length)]),
  ),
  fc.tuple(span, fc.integer({ min: 2, max: 300 })).map(([[where, length], times]): Change => (bytes) => {
    const from = at(bytes, where);
    const part = bytes.subarray(from, from + length);
    return Buffer.concat([bytes.subarray(0, from), ...Array<Buffer>(times).fill(part), bytes.subarray(from)]);
  }),
  fc.tuple(span, place).map(([[where, length], to]): Change => (bytes) => {
    const part = bytes.subarray(at(bytes, where), at(bytes, where) + length);
    return Buffer.concat([bytes.subarray(0, at(bytes, to)), part, bytes.subarray(at(bytes, to))]);
  }),
  place.map(
    (where): Change =>
      (bytes) =>
        bytes.subarray(0, at(bytes, where)),
  ),
);

const options: fc.Arbitrary<Partial<ReadOptions>> = fc.record(
  {
    encoding: fc.constantFrom('windows-1252', 'macintosh', 'utf-16le', 'utf-16be', 'shift_jis', 'gb18030', 'utf-7'),
    delimiter: fc.constantFrom(';', 'tab', 'pipe', 'x'),
    timezone: fc.constantFrom('Europe/Berlin', '+05:30', 'Mars/Base'),
    strict: fc.boolean(),
    allProblems: fc.boolean(),
    past: fc.constantFrom('now', 'skip', 'refuse'),
    settings: fc.constantFrom({ dateFormat: 'MM/DD/YYYY h:mm A' }, { columns: { title: 'ignore', x: 'title' } }),
  },
  { requiredKeys: [] },
);

/** Real manifests with a few changes, two of them spliced, and bytes and texts of no sense at all. */
export function fuzzInputs(seeds: readonly Buffer[]): fc.Arbitrary<FuzzInput> {
  const real = fc.constantFrom(...seeds);
  const changed = fc
    .tuple(real, fc.array(change, { minLength: 1, maxLength: 8 }))
    .map(([bytes, changes]) => changes.reduce((all, one) => one(all).subarray(0, MAX_BYTES), bytes));
  const spliced = fc
    .tuple(changed, real, place, place)
    .map(([one, other, where, from]) =>
      Buffer.concat([one.subarray(0, at(one, where)), other.subarray(at(other, from))]),
    );
  const noise = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
  const salad = fc.array(fc.constantFrom(...TOKENS, ...BYTES), { maxLength: 60 }).map((parts) => Buffer.concat(parts));
  const repeated = fc
    .tuple(fc.constantFrom(...TOKENS), fc.integer({ min: 100, max: 8_000 }))
    .map(([token, times]) => Buffer.concat(Array<Buffer>(times).fill(token)));
  const bytes = fc.oneof(
    { weight: 10, arbitrary: changed },
    { weight: 4, arbitrary: spliced },
    { weight: 2, arbitrary: noise },
    { weight: 2, arbitrary: salad },
    { weight: 1, arbitrary: repeated },
  );
  const name = fc.constantFrom('m.csv', 'm.yaml', 'm.yaml', 'm.json', 'stdin');
  return fc
    .record({ name, bytes, options })
    .map((input) => ({ ...input, bytes: Buffer.from(input.bytes.subarray(0, MAX_BYTES)) }));
}
