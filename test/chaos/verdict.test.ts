import { verdictOf, type ShownRow } from '../../chaos/verdict';
import { type LogEntry } from '../../sandbox/store/log-entries';

const MANIFEST = [
  { key: 'a', title: 'A' },
  { key: 'b', title: 'B' },
];

function row(key: string, change: Partial<ShownRow> = {}): ShownRow {
  const title = key.toUpperCase();
  return { key, title, state: 'published', code: null, publication_id: `id-${key}`, candidates: [], ...change };
}

function entry(title: string, id = `id-${title.toLowerCase()}`): LogEntry {
  return { title, id } as LogEntry;
}

const RIGHT = { rows: [row('a'), row('b')], log: [entry('A'), entry('B')] };

describe('the verdict over a campaign', () => {
  it('finds nothing where each row has its publication', () => {
    expect(verdictOf(MANIFEST, RIGHT.rows, RIGHT.log)).toEqual({ duplicates: 0, lost: 0, unconfirmed: 0, wrong: [] });
  });

  it('counts an unconfirmed row that names its publication, or has none', () => {
    const open = { state: 'unconfirmed', publication_id: null };
    const rows = [row('a', { ...open, candidates: ['id-a'] }), row('b', open)];
    expect(verdictOf(MANIFEST, rows, [entry('A')])).toMatchObject({ unconfirmed: 2, lost: 0, wrong: [] });
  });

  it('distinguishes rows with the same title by their videos', () => {
    const manifest = [{ ...{ key: 'a', title: 'A' }, url: 'https://videos.example/a.mp4' }];
    const mine = { title: 'A', id: 'id-a', url: 'https://videos.example/a.mp4' } as LogEntry;
    const others = { title: 'A', id: 'id-2', url: 'https://videos.example/second-a.mp4' } as LogEntry;
    expect(verdictOf(manifest, [row('a')], [mine, others])).toMatchObject({ duplicates: 0, wrong: [] });
    expect(verdictOf(manifest, [row('a')], [mine, { ...mine, id: 'id-3' }])).toMatchObject({ duplicates: 1 });
    expect(verdictOf(manifest, [row('a', { publication_id: 'id-2' })], [mine, others]).wrong).not.toEqual([]);
  });

  const table: [string, ShownRow[], LogEntry[], object][] = [
    ['a row accepted twice', RIGHT.rows, [...RIGHT.log, entry('A', 'id-2')], { duplicates: 1 }],
    ['a row that isn’t shown', [row('a')], RIGHT.log, { lost: 1 }],
    ['a row left on its way', [row('a'), row('b', { state: 'creating' })], RIGHT.log, { lost: 1 }],
    ['a row shown twice', [...RIGHT.rows, row('b')], RIGHT.log, { lost: 0 }],
    ['a row with another’s publication', [row('a', { publication_id: 'id-b' }), row('b')], RIGHT.log, { lost: 0 }],
    ['a publication nobody made', RIGHT.rows, [entry('A')], { lost: 0 }],
    [
      'a rejected row whose publication exists',
      [row('a', { state: 'rejected', publication_id: null }), row('b')],
      RIGHT.log,
      { lost: 1 },
    ],
    [
      'an unconfirmed row that doesn’t name its publication',
      [row('a', { state: 'unconfirmed', publication_id: null }), row('b')],
      RIGHT.log,
      { unconfirmed: 1 },
    ],
  ];

  it.each(table)('finds %s', (_name, rows, log, counts) => {
    const verdict = verdictOf(MANIFEST, rows, log);
    expect(verdict).toMatchObject(counts);
    expect(verdict.wrong).not.toEqual([]);
  });
});
