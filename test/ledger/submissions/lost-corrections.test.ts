import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry, type RowValues } from '../../../ledger/model/types';
import { Bench, entry, submission } from '../support';

const DEC = (day: number) => `2026-12-${String(day)}T12:00:00.000Z`;

let bench: Bench;
beforeEach(async () => {
  bench = await new Bench().open();
  await bench.begin(manifest({}));
  await bench.begin(results([row(1, 'b', { publishAt: DEC(24) })]));
});
afterEach(() => bench.close());

function row(position: number, key: string, values: Partial<RowValues>): Entry {
  return entry(position, key, { values: { publishAt: DEC(22), ...values } });
}

/** The manifest, with changes of its row `b`. */
function manifest(changes: Partial<RowValues>, options: Partial<SubmissionInput> = {}): SubmissionInput {
  return submission([row(0, 'a', {}), row(1, 'b', changes)], options);
}

function results(rows: readonly Entry[]): SubmissionInput {
  const made = submission(rows, { path: '/home/results.csv' });
  const text = '\ufeffkey,source,note,reelay_key,reelay_campaign,reelay_line\n';
  return { ...made, snapshot: { ...made.snapshot, text } };
}

/** Title and day of row `b`. */
async function shown(): Promise<string> {
  for await (const { key, title, publish_at: at } of bench.ledger.results({ campaign: 'spring', number: null }))
    if (key === 'b') return `${String(title)} ${String(at?.slice(8, 10))}`;
  return 'gone';
}

it('a manifest that changes another value of a corrected row is refused, with both values of the correction', async () => {
  expect(await bench.problems(manifest({ title: 'Better' }))).toMatchObject([
    {
      ...{ code: 'correction-lost', severity: 'error', line: 3, key: 'b' },
      message: `publish_at of key b was corrected to “${DEC(24)}”, but the manifest, which has other new values of the row, still has “${DEC(22)}”`,
      hint: expect.stringMatching(/--accept-differences/u),
    },
  ]);
  expect(await shown()).toBe('Episode b 24');
});

it('is accepted once it has the correction too', async () => {
  await bench.begin(manifest({ title: 'Better', publishAt: DEC(24) }));
  expect(await shown()).toBe('Better 24');
});

it('is accepted with another value than the corrected one', async () => {
  await bench.begin(manifest({ title: 'Better', publishAt: DEC(28) }));
  expect(await shown()).toBe('Better 28');
});

it('takes the correction back if that is asked for', async () => {
  await bench.begin(manifest({ title: 'Better' }, { acceptDifferences: true }));
  expect(await shown()).toBe('Better 22');
});

it('is no matter of a file of results, nor of a row that the manifest skips', async () => {
  expect(await bench.problems(submission([row(0, 'a', {}), entry(1, 'b', { skip: true })]))).toEqual([]);
  await bench.begin(results([row(1, 'b', { title: 'Better' })]));
  expect(await shown()).toBe('Better 22');
});
