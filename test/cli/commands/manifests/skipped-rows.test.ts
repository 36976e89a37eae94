import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../../cli/config/settings';
import { openAccounts } from '../../../../cli/stack/engine';
import { prepareManifest } from '../../../../cli/submission/submission';
import { startSandbox } from '../../../../sandbox/server';
import { Bench } from '../../../ledger/support';

const FIELDS = ['title', 'description', 'publish_at', 'deadline', 'profile'] as const;
const VALUES: Record<(typeof FIELDS)[number], string> = {
  title: 'A title',
  description: 'A description',
  publish_at: '2027-01-02T10:00:00Z',
  deadline: '2027-02-01T10:00:00Z',
  profile: 'Garden',
};

/** Every field with a column, or a key, for each platform; only the long one takes a description and a privacy. */
const PLATFORMS = ['short', 'long'];
const columns: [string, string][] = PLATFORMS.flatMap((platform) =>
  FIELDS.flatMap((field): [string, string][] =>
    field === 'description' && platform === 'short' ? [] : [[`${field}.${platform}`, VALUES[field]]],
  ),
).concat([['privacy.long', 'unlisted']]);

const csv = (skip: string): string =>
  [
    ['key', 'source', 'platform', 'skip', ...columns.map(([name]) => name)],
    ['a', 'https://media.example/a.mp4', 'short|long', skip, ...columns.map(([, value]) => value)],
  ]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
const yaml = (skip: string): string =>
  [
    'videos:',
    '  - key: a',
    '    source: https://media.example/a.mp4',
    '    platform: [short, long]',
    ...(skip === '' ? [] : [`    skip: ${skip}`]),
    ...columns.map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`),
    '',
  ].join('\n');

it.each([
  ['spring.csv', csv],
  ['spring.yaml', yaml],
])(
  '%s: marking a published row with skip changes nothing, whatever its fields for each platform',
  async (name, text) => {
    const service = await startSandbox({ apiKey: 'their-key' });
    const bench = new Bench();
    bench.time = Date.now();
    await bench.open();
    const home = dirname(bench.path);
    const settings = await loadSettings(
      { home },
      { REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' },
      home,
    );
    const accounts = await openAccounts(settings);
    try {
      const path = join(home, name);
      const prepare = async (skip: string) => {
        await writeFile(path, text(skip));
        const { input, problems } = await prepareManifest({ source: { path }, flags: {}, settings, accounts });
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
        return input!;
      };
      const run = await bench.begin(await prepare(''));
      bench.time = Date.parse('2027-01-02T10:00:00Z');
      const ids = await bench.rowIds(run);
      expect(ids).toHaveLength(2);
      for (const rowId of ids) {
        await bench.claimed(run, rowId);
        const publicationId = `p-${String(rowId)}`;
        await bench.ledger.record(rowId, 1, { kind: 'accepted', publicationId, status: 'processing' });
        await bench.ledger.recordEnds([{ rowId, publicationId, state: 'published', status: 'published' }]);
      }
      const { warnings } = await bench.ledger.submit(await prepare('yes'));
      expect(warnings).toEqual([]);
      const again = await bench.import();
      const records = [];
      for await (const { state, code } of bench.ledger.results(again)) records.push([state, code]);
      expect(records).toEqual([
        ['published', null],
        ['published', null],
      ]);
    } finally {
      await accounts.close();
      await bench.close();
      await service.close();
    }
  },
);
