import { Bench, entry, submission } from '../support';

describe('a row that is changed in the sheet after it was sent', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  it('is reported with the submit, and results keep what was sent and say that it differs', async () => {
    const first = await bench.begin(submission([entry(0, 'a'), entry(1, 'b')]));
    for (const id of await bench.rowIds(first)) {
      const attempt = await bench.claimed(first, id);
      await bench.ledger.record(id, attempt, { kind: 'accepted', publicationId: `p-${id}`, status: 'processing' });
      await bench.ledger.recordEnds([{ rowId: id, publicationId: `p-${id}`, state: 'published', status: 'published' }]);
    }
    const edited = submission([
      entry(0, 'a', { values: { title: 'Another title', privacy: 'private' } }),
      entry(1, 'b'),
    ]);
    const { warnings } = await bench.ledger.submit(edited);
    expect(warnings).toMatchObject([{ severity: 'warning', code: 'differs', line: 2 }]);
    const run = await bench.import();
    const records = [];
    for await (const record of bench.ledger.results(run)) records.push(record);
    expect(records).toMatchObject([
      {
        title: 'Episode a',
        state: 'published',
        code: 'differs',
        column: 'title',
        message: 'title, privacy changed after it was sent; it stays as it was sent',
      },
      { title: 'Episode b', state: 'published', code: null },
    ]);
    const accepted = await bench.ledger.submit({ ...edited, acceptDifferences: true });
    expect(accepted.warnings).toEqual([]);
  });

  it.each([
    ['all its fields', {}],
    ['also its source', { source: null }],
  ])('is unchanged if the sheet skips it, which leaves %s unread', async (_, more) => {
    const first = await bench.begin(submission([entry(0, 'a'), entry(1, 'b')]));
    const [a = 0, b = 0] = await bench.rowIds(first);
    for (const id of [a, b]) {
      await bench.claimed(first, id);
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: `p-${id}`, status: 'processing' });
    }
    await bench.ledger.recordEnds([{ rowId: a, publicationId: `p-${a}`, state: 'published', status: 'published' }]);
    const unread = { title: null, description: null, privacy: null, publishAt: null, ...more };
    const skipped = submission([
      entry(0, 'a', { skip: true, values: unread }),
      entry(1, 'b', { skip: true, values: unread }),
    ]);
    const { warnings } = await bench.ledger.submit(skipped);
    expect(warnings).toMatchObject([
      { code: 'too-late', key: 'b', message: 'skip changed too late: the row is processing' },
    ]);
    const run = await bench.import();
    const records = [];
    for await (const record of bench.ledger.results(run)) records.push(record);
    expect(records).toMatchObject([
      { key: 'a', title: 'Episode a', state: 'published', code: null },
      { key: 'b', title: 'Episode b', state: 'processing', code: null },
    ]);
  });
});
