import { checkVerdict } from '../../../../cli/commands/correct/resolve/resolve-check';
import { type AccountRegistry } from '../../../../service/accounts';
import { type Publication } from '../../../../service/api/publication';
import { type Ledger } from '../../../../ledger/ledger';
import { type AttentionRow } from '../../../../ledger/model/result-types';
import { values } from '../../../ledger/support';

const row: AttentionRow = {
  rowId: 1,
  line: 2,
  file: null,
  key: 'ep-1',
  state: 'unconfirmed',
  account: 'default',
  channelId: 'garden',
  channel: 'Garden · long',
  code: 'held',
  message: null,
  candidates: [],
  values: values('ep-1'),
  attempts: 1,
  isAttemptOver: true,
};
const deps = { ledger: {} as Ledger, accounts: () => Promise.reject(new Error('no account is needed')) };

describe('resolve --not-published', () => {
  it('names the risk where the worker of the create was never seen to end', async () => {
    const { warning } = await checkVerdict(deps, { ...row, isAttemptOver: false }, { kind: 'not-published' });
    expect(warning).toContain('row 2 (key ep-1, Garden · long) may be published twice');
  });

  it('names the risk while its publication is still being looked for', async () => {
    const { warning } = await checkVerdict(deps, { ...row, state: 'creating' }, { kind: 'not-published' });
    expect(warning).toContain('row 2 (key ep-1, Garden · long) may be published twice');
  });

  it('has nothing to warn of where its attempt is over', async () => {
    expect((await checkVerdict(deps, row, { kind: 'not-published' })).warning).toBeNull();
  });
});

describe('resolve --published ID', () => {
  const asShown = (shown: Partial<Publication>) => {
    const publication = { id: 'p1', platform: row.values.platform, status: 'processing', videoUrl: null, ...shown };
    const account = { client: { getPublication: async () => publication } };
    return checkVerdict(
      {
        ledger: { ownerRow: async () => null } as unknown as Ledger,
        accounts: async () => ({ get: () => account }) as unknown as AccountRegistry,
      },
      { ...row, values: { ...row.values, profileId: 'garden', title: 'Winter bees' } },
      { kind: 'published', publicationId: 'p1' },
    );
  };

  it('warns of a publication that is shown on another platform or profile, or with another title', async () => {
    const { decision, warning } = await asShown({ platform: 'other', profileId: 'kitchen', title: 'Sowing beans' });
    expect(decision).toMatchObject({ kind: 'published', publicationId: 'p1' });
    expect(warning).toBe(
      `publication p1 may be another row’s: its platform is “other”, the row’s “${row.values.platform}”; ` +
        'its profile is “kitchen”, the row’s “garden”; its title is “Sowing beans”, the row’s “Winter bees”',
    );
  });

  it('has nothing to warn of where all that is shown is the row’s', async () => {
    expect((await asShown({ profileId: 'GARDEN', title: 'Winter bees' })).warning).toBeNull();
    expect((await asShown({})).warning).toBeNull();
  });
});
