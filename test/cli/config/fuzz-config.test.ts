import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, UsageError } from '../../../cli/errors/errors';
import { loadSettings } from '../../../cli/config/settings';
import { HOSTILE_TEXTS } from '../../support/hostile-text';

/** Of the processor, whatever else the machine does. */
const MOST_MS = 5_000;
const SEED = 17;

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'reelay-fuzz-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Loads a config with this text; anything but settings or an error for people fails. */
async function demandHandled(text: string): Promise<void> {
  const config = join(folder, 'reelay.config.yaml');
  await writeFile(config, text);
  const began = process.cpuUsage();
  // A library's warning would bring the config's own text to the terminal.
  const warned = jest.spyOn(process, 'emitWarning');
  try {
    const settings = await loadSettings({ config }, { REELAY_HOME: join(folder, 'home') }, folder);
    // Read only when they are needed.
    settings.baseUrl();
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof UsageError)) throw error;
    expect(error.message).not.toBe('');
  }
  expect(warned.mock.calls).toEqual([]);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(MOST_MS);
}

const name = fc.constantFrom(
  ...['base_url', 'api_key_env', 'account', 'accounts', 'pace', 'min_gap', 'max_per', 'channels', 'hours', 'notify'],
  ...[
    'command',
    'url',
    'env',
    'private_hosts',
    'platforms',
    'give_up_after',
    'late',
    'timezone',
    'sandbox',
    '__proto__',
  ],
  ...['constructor', 'toString', 'garden', '<<'],
);
const text = fc.oneof(
  fc.constantFrom(
    ...HOSTILE_TEXTS,
    '',
    '~',
    'null',
    '24h',
    'https://a.example',
    '1e400',
    '0x10',
    '2026-02-30',
    '${HOME}',
    '%',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, text, fc.double(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
  list: fc.array(tie('any'), { maxLength: 3 }),
  map: fc.array(fc.tuple(fc.oneof(name, text), tie('any')), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
})).map;

test('any structure under known names is settings or a configuration error', async () => {
  const property = fc.asyncProperty(value, async (config) => demandHandled(JSON.stringify(config)));
  await fc.assert(property, { numRuns: 400, seed: SEED });
});

test('any text is settings or a configuration error', async () => {
  const piece = fc.oneof(
    name.map((one) => `${one}: `),
    text,
    fc.constantFrom(
      '\n',
      '\n  ',
      '\n- ',
      '&a ',
      '*a',
      '!!binary ',
      '!!js/function ',
      '|',
      '>',
      '{',
      '}',
      '[',
      ']',
      '---\n',
      '#',
      '\t',
      '"',
    ),
  );
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) =>
    demandHandled(pieces.join('')),
  );
  await fc.assert(property, { numRuns: 400, seed: SEED });
});

test.each([
  [
    'aliases that explode',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
      { length: 12 },
      (_, at) =>
        `b${at}: &b${at} [${Array(9)
          .fill(at === 0 ? '*a' : `*b${at - 1}`)
          .join(',')}]`,
    ).join('\n')}\n`,
  ],
  ['deep nesting', `pace: ${'['.repeat(20_000)}`],
  ['an alias within itself', 'pace: &a { channels: *a }\n'],
  ['a long line', `base_url: ${'a.'.repeat(1_000_000)}\n`],
])('%s are handled in time', (_, config) => demandHandled(config));
