import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVerdicts } from '../../../../cli/commands/correct/resolve/resolve-file';
import { type AttentionRow } from '../../../../ledger/model/result-types';
import { values } from '../../../ledger/support';

const row: AttentionRow = {
  rowId: 1,
  line: 2,
  file: null,
  key: 'ep-1',
  state: 'unconfirmed',
  account: 'ours',
  channelId: 'garden',
  channel: 'Garden · long',
  code: 'list-not-current',
  message: null,
  candidates: [],
  values: values('ep-1'),
  attempts: 2,
  isAttemptOver: true,
};

describe('resolve --from', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelay-settle-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function read(text: string) {
    const path = join(folder, 'settle.csv');
    await writeFile(path, text);
    return readVerdicts(path, [row], 'autumn');
  }

  it('settles the rows of its campaign', async () => {
    const { verdicts, problems } = await read(
      'reelay_key,reelay_campaign,reelay_account,resolve\nep-1,autumn,ours,give-up\n',
    );
    expect([verdicts, problems]).toEqual([[{ line: 2, row, verdict: { kind: 'give-up' } }], []]);
  });

  it('refuses a row of another campaign, whose key may be the same', async () => {
    const { verdicts, problems } = await read('reelay_key,reelay_campaign,resolve\nep-1,spring,not-published\n');
    expect(verdicts).toEqual([]);
    expect(problems).toMatchObject([
      { line: 2, column: 'reelay_campaign', value: 'spring', message: expect.stringContaining('not to autumn') },
    ]);
  });

  it.each(['1', '3', 'two'])(
    'refuses a row that was sent again since the sheet was made (attempts: %s)',
    async (told) => {
      const { verdicts, problems } = await read(`reelay_key,reelay_attempts,resolve\nep-1,${told},not-published\n`);
      expect(verdicts).toEqual([]);
      expect(problems).toMatchObject([
        {
          line: 2,
          column: 'reelay_attempts',
          value: told,
          message: expect.stringContaining('2 attempts'),
          hint: expect.stringContaining('reelay results autumn --state unconfirmed -o csv'),
        },
      ]);
    },
  );

  it.each(['2', '2.0', ''])('settles a row that was not sent again (attempts: “%s”)', async (told) => {
    const { verdicts, problems } = await read(`reelay_key,reelay_attempts,resolve\nep-1,${told},not-published\n`);
    expect([verdicts.length, problems]).toEqual([1, []]);
  });

  it('refuses a row of another account', async () => {
    const { verdicts, problems } = await read('reelay_key,reelay_account,resolve\nep-1,theirs,not-published\n');
    expect([verdicts, problems.length]).toEqual([[], 1]);
  });
});
