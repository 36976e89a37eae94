import { dirname } from 'node:path';
import { afterSubmit } from '../../../../cli/commands/campaigns/after-submit';
import { loadSettings } from '../../../../cli/config/settings';
import { type SubmissionInput } from '../../../../ledger/model/submission-types';
import { Bench, entries, entry, submission } from '../../../ledger/support';
import { capture } from '../../capture';

/** What `submit` shows of a campaign directly after it accepted the manifest, when no worker has done anything yet. */
describe('the summary of a submit', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function shownAfter(input: SubmissionInput): Promise<{ out: string; err: string }> {
    const { ledger } = bench;
    const settings = await loadSettings({ home: dirname(bench.path) });
    const result = await ledger.submit(input);
    const { output, stdout, stderr } = capture();
    const place = { webUi: null, namespace: 'default' } as Parameters<typeof afterSubmit>[0]['place'];
    const rest = { watch: false, timeoutMs: undefined, also: [] };
    await afterSubmit({ output, settings, place, ledger, result, ...rest });
    return { out: stdout.text, err: stderr.text };
  }

  it('counts rows that were cancelled, and that it sends after all, as planned', async () => {
    const rows = submission(entries('a', 'b', 'c'));
    const run = await bench.begin(rows);
    await bench.ledger.cancel({ run, by: 'ana@desk' });
    await bench.ledger.finishRun(run);
    const shown = await shownAfter({ ...rows, cancelled: 'send' });
    expect(shown.out).toMatch(/^planned\t3\t/m);
    expect(shown.out).not.toContain('cancelled');
  });

  it('counts only the row that was left as it is as unchanged', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    for (const id of await bench.rowIds(run)) {
      const attempt = await bench.claimed(run, id);
      await bench.ledger.record(id, attempt, { kind: 'rejected', code: 'http-422', message: 'no' });
    }
    expect(await bench.ledger.finishRun(run)).toBe(true);
    const corrected = submission([entry(0, 'a', { values: { title: 'Corrected' } }), entry(1, 'b')]);
    const shown = await shownAfter(corrected);
    expect(shown.out).toMatch(/^planned\t1\t/m);
    expect(shown.err).toContain('1 row that went wrong in an earlier run is unchanged');
  });

  it('speaks of all rows of the campaign that are still to be sent, not only of those of its file', async () => {
    const at = (day: number) => ({ values: { publishAt: `2126-12-${String(day)}T18:00:00.000Z` } });
    await bench.begin(submission([entry(0, 'a', at(21)), entry(1, 'b', at(24))]));
    const shown = await shownAfter(submission([entry(0, 'c', at(22))], { vanished: 'keep' }));
    expect(shown.err).toMatch(/^Next row: \S+ 21 Dec 2126 \S+, last row: \S+ 24 Dec 2126 /m);
  });
});
