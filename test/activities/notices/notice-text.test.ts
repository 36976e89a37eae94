import { noticeText } from '../../../activities/notices/notice-text';
import { Bench, entries, submission } from '../../ledger/support';

it.each([
  ['spring.csv', '-o csv --out corrected.csv', 'corrected.csv'],
  ['spring.xlsx', '--out corrected.xlsx', "corrected.xlsx --sheet 'To correct'"],
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
      `reelay run ${corrected} --timezone UTC`,
      'reelay retry spring.1 --watch',
      'reelay results spring.1',
    ]);
  } finally {
    await bench.close();
  }
});
