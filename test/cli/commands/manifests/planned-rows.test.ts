import { plannedRows, showPlannedRows } from '../../../../cli/commands/manifests/planned-rows';
import { Bench, entries, entry, submission } from '../../../ledger/support';
import { capture } from '../../capture';

const PUBLISH_AT = '2030-01-24T18:00:00.000Z';

test('the rows of a plan show what each has and will have, also those that the manifest lacks', async () => {
  const bench = await new Bench().open();
  try {
    const timed = entry(2, 'c', { values: { publishAt: PUBLISH_AT } });
    const run = await bench.begin(submission([...entries('a', 'b'), timed, entry(3, 'd')]));
    await bench.begin(submission([...entries('a', 'b'), timed], { vanished: 'prune' }));
    const corrected = submission([entry(0, 'b', { values: { title: 'Better', publishAt: PUBLISH_AT } })], {
      path: '/home/fix.csv',
    });
    const { snapshot } = corrected;
    await bench.begin({
      ...corrected,
      snapshot: { ...snapshot, text: '\ufeffkey,source,note,reelay_key,reelay_campaign,reelay_line\n' },
    });
    const input = submission(entries('a', 'b'), { vanished: 'keep' });
    const rows = await plannedRows(await bench.ledger.plan(input), input);
    expect(rows).toMatchObject([
      { key: 'a', title: 'Episode a', publish_at: null },
      { key: 'b', title: 'Better', publish_at: PUBLISH_AT },
      { key: 'c', action: 'keep', state: 'waiting', title: 'Episode c', publish_at: PUBLISH_AT },
      { key: 'd', action: 'keep', state: 'cancelled', title: 'Episode d', publish_at: null },
    ]);
    const { output, stdout } = capture();
    await showPlannedRows(rows, output);
    const [, , , kept = '', cancelled = ''] = stdout.text.split('\n');
    expect(kept.split('\t').slice(1, 7)).toEqual([
      'keep (waiting)',
      'Garden · long',
      'c',
      'Episode c',
      'public',
      PUBLISH_AT,
    ]);
    expect(cancelled.split('\t')[6]).toBe('');
    expect(await bench.ledger.openRows(run)).toBe(3);
  } finally {
    await bench.close();
  }
});
