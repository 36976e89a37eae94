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
});
