import { showFirings, type ShownFiring } from '../../../../cli/commands/schedule/show';
import { capture } from '../../capture';

const REASON =
  'the manifest was refused, nothing was sent: The manifest /shared/marketing/clips.csv isn’t there. It was last read at 2026-11-29T08:00:00Z.';

function firing(key: string, given: Partial<ShownFiring> = {}): ShownFiring {
  return {
    key,
    nominal_at: '2026-11-30T09:00:00.000Z',
    outcome: 'refused',
    code: 'refused',
    reason: REASON,
    run: null,
    rows: null,
    manifest_hash: null,
    workflow_id: 'schedule/drip/1',
    started_at: '2026-11-30T09:00:01.000Z',
    ended_at: '2026-11-30T09:00:02.000Z',
    ...given,
  };
}

const firings = [
  firing('manual 2026-11-30T10:00:00Z'),
  firing('2026-11-30'),
  firing('2026-11-29', { outcome: 'incomplete', reason: null, run: 'drip.1', rows: { published: 3, failed: 1 } }),
];

test.each([60, 80, 160])(
  'on a terminal of %i columns, why a firing was refused can be read in full',
  async (columns) => {
    const { output, stdout } = capture({ columns, noColor: true });
    output.zone = 'Asia/Tokyo';
    await showFirings(output, firings);
    const [table = '', why = ''] = stdout.text.split('\n\n');
    expect(table).not.toContain('WHY');
    // In the schedule's zone, which the heading names; one line for the two that have the same reason.
    expect(table).toContain(columns < 80 ? 'ENDED (' : 'ENDED (Asia/Tokyo)');
    expect(why.replace(/\s+/g, ' ')).toMatch(
      /^manual Mon 30 Nov( \d{4})? 19:00, 2026-11-30: the manifest was refused, nothing was sent: The manifest \/shared\/marketing\/clips\.csv isn’t there\. It was last read at Sun 29 Nov .*17:00.*\. $/,
    );
    expect(Math.max(...why.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
  },
);

test('in a pipe, the reason is a column, as recorded', async () => {
  const { output, stdout } = capture();
  await showFirings(output, firings);
  expect(stdout.text.split('\n')[1]).toBe(
    `manual 2026-11-30T10:00:00Z\trefused\t\t\t2026-11-30T09:00:02.000Z\t${REASON}`,
  );
});
