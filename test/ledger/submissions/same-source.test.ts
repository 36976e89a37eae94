import { type Entry } from '../../../ledger/model/types';
import { Bench, entry, type EntryChanges, submission } from '../support';

/** A row that its manifest gives no key, with the video of this name. */
function keyless(position: number, name: string, changes: EntryChanges = {}): Entry {
  const source = `https://media.example/${name}.mp4`;
  return entry(position, source, {
    ...changes,
    bySource: true,
    values: { title: `Title ${position}`, ...changes.values, source },
  });
}

const OLD = 'https://media.example/old.mp4';

describe('a row whose source was corrected in a sheet, and then in a manifest without keys', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const other = keyless(1, 'other');
  /** The row has its key, as results have it. */
  const sheet = submission([entry(0, OLD, { values: { source: 'https://media.example/new.mp4', title: 'Title 0' } })], {
    path: '/home/fix.csv',
  });
  const corrected = submission([keyless(0, 'new'), other]);

  async function fail(): Promise<void> {
    const run = await bench.begin(submission([keyless(0, 'old'), other]));
    for (const id of await bench.rowIds(run)) {
      await bench.claimed(run, id);
      const publicationId = `pub-${id}`;
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId, status: 'processing' });
      await bench.ledger.recordEnds([{ rowId: id, publicationId, state: 'failed', status: 'failed' }]);
    }
    await bench.ledger.finishRun(run);
  }

  async function publishSheet(): Promise<void> {
    const run = await bench.begin(sheet);
    for (const id of await bench.rowIds(run)) {
      const attempt = await bench.claimed(run, id);
      await bench.ledger.record(id, attempt, { kind: 'accepted', publicationId: 'p', status: 'processing' });
    }
  }

  it('is the same row, without a question, and is not sent again', async () => {
    await fail();
    await publishSheet();
    expect((await bench.ledger.plan(corrected)).actions).toEqual({ leave: 2 });
    expect((await bench.problems(corrected)).map(({ code }) => code)).toEqual([]);
    const run = await bench.import();
    expect(await bench.rowIds(run)).toEqual([]);
    const shown: unknown[] = [];
    for await (const { key, line, state, source } of bench.ledger.results({ campaign: 'spring', number: null }))
      shown.push([line, key, state, source]);
    expect(shown).toEqual([
      [2, OLD, 'processing', 'https://media.example/new.mp4'],
      [3, other.key, 'failed', other.key],
    ]);
  });

  it('is the same row while the correction is not sent yet', async () => {
    await fail();
    const run = await bench.begin(sheet);
    await bench.begin(corrected);
    expect(await bench.rowIds(run)).toHaveLength(1);
  });

  it('stays the same row when the manifest is submitted again, also with another title', async () => {
    await fail();
    const run = await bench.begin(sheet);
    await bench.begin(corrected);
    await bench.begin(corrected);
    const renamed = submission([keyless(0, 'new', { values: { title: 'Better' } }), other]);
    expect((await bench.ledger.plan(renamed)).actions).toEqual({ update: 1, leave: 1 });
    await bench.begin(renamed);
    expect(await bench.rowIds(run)).toHaveLength(1);
  });

  it.each([
    ['before', [keyless(0, 'new'), keyless(1, 'old'), other]],
    ['after', [keyless(0, 'old'), keyless(1, 'new'), other]],
  ])('is refused if the manifest has both sources: the new one %s the old one', async (_, rows) => {
    await fail();
    await publishSheet();
    const all = rows.map((row, position) => ({ ...row, position, line: position + 2 }));
    const problems = (await bench.problems(submission(all))).filter(({ severity }) => severity === 'error');
    expect(problems).toMatchObject([
      {
        code: 'key-repeated',
        line: 3,
        message: expect.stringMatching(/^lines? 2 .*the same row/u),
        hint: expect.stringMatching(/remove .*key of its own/u),
      },
    ]);
  });

  it('is another video with --rekey', async () => {
    await fail();
    await publishSheet();
    expect((await bench.ledger.plan({ ...corrected, rekey: true })).actions).toMatchObject({ create: 1 });
  });

  it('is recognised in its own channel only, and not if two rows have its source', async () => {
    await fail();
    await publishSheet();
    const kitchen = keyless(0, 'new', { values: { profileId: 'p-2', profileName: 'Kitchen' } });
    expect((await bench.ledger.plan(submission([kitchen, other]))).problems).toContainEqual(
      expect.objectContaining({ code: 'rekey-suspected' }),
    );
    const twice = ['one', 'two'].map((key, at) =>
      entry(at, key, { values: { source: 'https://media.example/x.mp4' } }),
    );
    const campaign = 'autumn';
    await bench.publish(await bench.begin(submission(twice, { campaign })));
    const plan = await bench.ledger.plan(submission([keyless(0, 'x')], { campaign }));
    expect(plan.problems).toMatchObject([
      {
        code: 'rekey-suspected',
        hint: expect.stringMatching(/give it the key (?:one|two).*not published again.*--rekey publishes it/u),
      },
    ]);
  });
});
