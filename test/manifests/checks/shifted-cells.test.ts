import { read } from '../support';

/** A sheet of results whose rows have these titles, and are recorded with those: which ones are found shifted. */
async function shifted(...rows: readonly (readonly [recorded: string, now: string])[]): Promise<string[]> {
  const lines = rows.map(
    ([recorded, now], at) =>
      `k${at},https://videos.example/${at}.mp4,short,${now},k${at},spring,failed,sandbox,${recorded},https://videos.example/${at}.mp4`,
  );
  const header =
    'key,source,platform,title,reelay_key,reelay_campaign,reelay_state,reelay_account,reelay_title,reelay_source';
  const { problems } = await read([header, ...lines].join('\n'));
  return problems.flatMap(({ code, value }) => (code === 'cells-shifted' ? [value ?? ''] : []));
}

test.each<[string, ...(readonly [string, string])[]]>([
  ['each is one further', ['Part 1', 'Part 2'], ['Part 2', 'Part 3'], ['Part 3', 'Part 4']],
  ['each is one less', ['Part 2', 'Part 1'], ['Part 3', 'Part 2']],
  ['of the right row alone', ['Part 1', 'Part 2'], ['Part 2', 'Part 3'], ['Trailer', 'Trailer']],
  ['one of several numbers', ['S2 E09 of 10', 'S2 E10 of 10'], ['S2 E10 of 10', 'S2 E11 of 10']],
])('titles that were renumbered are no shifted cells: %s', async (_, ...rows) => {
  expect(await shifted(...rows)).toEqual([]);
});

test.each<[string, ...(readonly [string, string])[]]>([
  ['swapped', ['Part 1', 'Part 2'], ['Part 2', 'Part 1']],
  ['sorted', ['Part 10', 'Part 1'], ['Part 2', 'Part 10'], ['Part 1', 'Part 2']],
  ['sorted, with one corrected', ['Part 1', 'Part 4'], ['Part 2', 'Part 2'], ['Part 3', 'Part 1']],
  ['moved down, over a row that is unchanged', ['Part 1', 'Part 1'], ['Part 2', 'Part 1'], ['Part 3', 'Part 2']],
  ['swapped, and written differently', ['Part 01', 'Part 1'], ['Part 1', 'Part 01']],
  ['moved down, with a blank above', ['Part 1', ''], ['Part 2', 'Part 1'], ['Part 3', 'Part 2']],
  ['moved, without numbers', ['Opener', 'Finale'], ['Finale', 'Epilogue']],
  ['another number too', ['S1 E1', 'S2 E2'], ['S2 E2', 'S3 E3']],
])('titles of other rows are: %s', async (_, ...rows) => {
  expect(await shifted(...rows)).toHaveLength(1);
});
