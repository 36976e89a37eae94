import { type RunRef } from '../../../ledger/model/types';
import { Bench, entry, submission } from '../support';

describe('what shows an account’s state', () => {
  let bench: Bench;
  let run: RunRef;
  beforeEach(async () => {
    bench = await new Bench().open();
    run = await bench.begin(submission([entry(0, 'a'), entry(1, 'b'), entry(2, 'c')]));
  });
  afterEach(() => bench.close());

  it('own publications: deleted with reelay, perhaps deleted since they were seen, or never seen', async () => {
    const rows = await bench.rowIds(run);
    for (const [at, rowId] of rows.entries()) {
      const attempt = await bench.claimed(run, rowId);
      const publicationId = `publication-${String(at)}`;
      await bench.ledger.record(rowId, attempt, {
        kind: 'accepted',
        publicationId,
        status: 'processing',
      });
    }
    const { account } = entry(0, 'a');
    const expected = () =>
      bench.ledger.acceptedSince({ account, since: 0, until: Number.MAX_SAFE_INTEGER, before: 20 });
    const deleted = async () => (await expected()).map((one) => [one.id, one.deleted]);
    expect(await deleted()).toEqual([
      ['publication-2', null],
      ['publication-1', null],
      ['publication-0', null],
    ]);
    await bench.ledger.noteDeleted({ rowId: rows[0]!, publicationId: 'publication-0', by: 'ana' });
    // Seen, but its row is still followed.
    await bench.ledger.noteSeen(account, ['publication-1', 'publication-2'], bench.time);
    const end = { state: 'published', status: 'published' } as const;
    await bench.ledger.recordEnds([{ rowId: rows[2]!, publicationId: 'publication-2', ...end }]);
    expect(await deleted()).toEqual([
      ['publication-2', 'may'],
      ['publication-1', null],
      ['publication-0', 'did'],
    ]);
  });

  it('its profiles: a key that shows none of them is another account’s, unless a person confirms it', async () => {
    const { account, values } = entry(0, 'a');
    const bind = (profiles: string[], confirm = false) => bench.ledger.bindProfiles({ account, profiles, confirm });
    // Before they are noted, by those of its rows.
    expect(await bind(['other'])).toMatch(/doesn’t show the profile that this ledger knows of account/u);
    expect(await bind([values.profileId ?? '', 'second'])).toBeNull();
    expect(await bind(['second', 'third'])).toBeNull();
    expect(await bind([values.profileId ?? ''])).toMatch(/any of the 2 profiles/u);
    expect(await bind([])).toMatch(/any of the 2 profiles/u);
    expect(await bind(['other'], true)).toBeNull();
    expect(await bind(['second'])).not.toBeNull();
  });
});
