import { distinctNames, type NamedChannel } from '../../../ledger/rows/channel-names';

const channel = (more: Partial<NamedChannel>): NamedChannel => ({
  account: 'default',
  profileId: '8f3a1c2e-1111',
  platform: 'platform_b',
  label: 'Garden · long',
  ...more,
});
const namesOf = (channels: readonly NamedChannel[]): string[] => channels.map(distinctNames(channels));

test('a name that only one channel has stays as it is', () => {
  expect(namesOf([channel({}), channel({ platform: 'platform_a', label: 'Garden · short' })])).toEqual([
    'Garden · long',
    'Garden · short',
  ]);
});

test('channels that share a name show what distinguishes them: the account, else the profile, else the platform', () => {
  expect(namesOf([channel({}), channel({ account: 'cafe' })])).toEqual([
    'Garden · long (account default)',
    'Garden · long (account cafe)',
  ]);
  expect(namesOf([channel({}), channel({ profileId: '8f3a1c9e-2222' }), channel({ profileId: null })])).toEqual([
    'Garden · long (profile 8f3a1c2)',
    'Garden · long (profile 8f3a1c9)',
    'Garden · long (no profile)',
  ]);
  expect(namesOf([channel({}), channel({ platform: 'platform_c' })])).toEqual([
    'Garden · long (platform_b)',
    'Garden · long (platform_c)',
  ]);
});

test('where no single fact does, all of them are shown', () => {
  const three = [channel({}), channel({ account: 'cafe' }), channel({ account: 'cafe', profileId: 'other1' })];
  expect(new Set(namesOf(three)).size).toBe(3);
});
