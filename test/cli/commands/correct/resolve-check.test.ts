import { checkVerdict } from '../../../../cli/commands/correct/resolve/resolve-check';
import { type Ledger } from '../../../../ledger/ledger';
import { type AttentionRow } from '../../../../ledger/model/types';
import { values } from '../../../ledger/support';

const row: AttentionRow = {
  rowId: 1,
  line: 2,
  key: 'ep-1',
  state: 'unconfirmed',
  account: 'default',
  channelId: 'garden',
  channel: 'Garden · long',
  code: 'held',
  message: null,
  candidates: [],
  values: values('ep-1'),
};
const deps = { ledger: {} as Ledger, accounts: () => Promise.reject(new Error('no account is needed')) };

describe('resolve --not-published', () => {
  it('names the risk where the worker of the create was never seen to end', async () => {
    const { warning } = await checkVerdict(deps, { ...row, code: 'worker-silent' }, { kind: 'not-published' });
    expect(warning).toContain('row 2 (key ep-1, Garden · long) may be published twice');
  });

  it('has nothing to warn of where its attempt is over', async () => {
    expect((await checkVerdict(deps, row, { kind: 'not-published' })).warning).toBeNull();
  });
});
