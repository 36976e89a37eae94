import { noticeText } from '../../../activities/notices/notice-text';
import { Bench, entries, entry, submission } from '../../ledger/support';

it.each([
  ['spring.csv', '-o csv --out corrected.csv', 'corrected.csv'],
  ['spring.xlsx', '--out corrected.xlsx', 'corrected.xlsx'],
])('the end of a run of %s names the command that runs its corrected rows', async (name, out, corrected) => {
  const bench = await new Bench().open();
  try {
    const path = `/manifests/${name}`;
    const run = await bench.begin(submission(entries('a'), { path, given: [['--timezone', 'UTC']] }));
    const [row = 0] = await bench.rowIds(run);
    await bench.ledger.record(row, await bench.claimed(run, row), {
      kind: 'rejected',
      code: 'http-422',
      message: 'no',
    });
    expect(await bench.ledger.finishRun(run)).toBe(true);
    const brief = { id: 'spring.1/ended', subject: { kind: 'ended' as const, run }, targets: [] };
    const { next } = await noticeText(bench.ledger, brief, false);
    expect(next).toEqual([
      `reelay results spring.1 --state rejected ${out}`,
      `reelay run ${corrected}`,
      'reelay retry spring.1 --watch',
      'reelay results spring.1',
    ]);
  } finally {
    await bench.close();
  }
});

it('rows that the manifest left out don’t make the end of a run a bad one; those that a person cancelled do', async () => {
  const bench = await new Bench().open();
  try {
    await bench.begin(submission(entries('a', 'b', 'c')));
    const run = await bench.begin(submission([entry(0, 'a', { skip: true }), entry(1, 'b')], { vanished: 'prune' }));
    const brief = { id: 'spring.1/ended', subject: { kind: 'ended' as const, run }, targets: [] };
    for (const id of await bench.rowIds(run)) {
      await bench.claimed(run, id);
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p', status: 'processing' });
      await bench.ledger.recordEnds([{ rowId: id, publicationId: 'p', state: 'published', status: 'published' }]);
    }
    await bench.ledger.finishRun(run);
    const { ok, text } = await noticeText(bench.ledger, brief, false);
    expect([ok, text]).toEqual([true, 'spring.1 ended: 2 cancelled, 1 published']);
    const second = await bench.begin(submission([...entries('a', 'b'), entry(2, 'd')], { forceOld: true }));
    await bench.ledger.cancel({ run: second, by: 'ana@desk', keys: ['d'] });
    const later = { ...brief, subject: { kind: 'ended' as const, run: second } };
    expect((await noticeText(bench.ledger, later, false)).ok).toBe(false);
  } finally {
    await bench.close();
  }
});
