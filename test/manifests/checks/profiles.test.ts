import { resolveProfiles } from '../../../manifests/checks/channel/profiles';
import { type ManifestRow } from '../../../manifests/types';
import { list, read } from '../support';

const both = [{ platform: 'platform_a' }, { platform: 'platform_b' }];
const profiles = [
  { id: 'p-1', name: 'Garden', channels: both },
  { id: 'p-2', name: 'Kitchen', channels: [{ platform: 'platform_a' }] },
  { id: 'p-3', name: 'Travel', channels: both },
  { id: 'p-4', name: 'Travel', channels: both },
  { id: 'Kitchen', name: 'Odd', channels: both },
];

async function rows(...cells: string[]): Promise<ManifestRow[]> {
  const lines = cells.map((cell, index) => `T,https://example.com/${index}.mp4,${cell}\n`).join('');
  return (await read(`title,source,platform,profile\n${lines}`, { defaults: { 'privacy.long': 'public' } })).rows;
}

test('a profile is found by id before name, and both are set', async () => {
  const found = await rows('short,Garden', 'long,p-1', 'short,Kitchen', 'short,p-4');
  expect(list({ problems: resolveProfiles(found, profiles) })).toEqual([]);
  expect(found.map(({ profileId, profileName }) => [profileId, profileName])).toEqual([
    ['p-1', 'Garden'],
    ['p-1', 'Garden'],
    ['Kitchen', 'Odd'],
    ['p-4', 'Travel'],
  ]);
});

test('a name of two profiles is refused with both ids', async () => {
  const problems = resolveProfiles(await rows('short,Travel'), profiles);
  expect(problems).toMatchObject([
    { severity: 'error', line: 2, code: 'profile-ambiguous', hint: 'Use the id: p-3 or p-4.' },
  ]);
});

test('a row of a results file is refused in another channel than it had', async () => {
  const lines = ['Garden,p-1', 'Kitchen,p-1', 'default,p-1', 'Garden,', 'Garden,gone'].map(
    (cells, index) => `T,https://example.com/${index}.mp4,short,${cells}\n`,
  );
  const found = (await read(`title,source,platform,profile,reelay_profile_id\n${lines.join('')}`)).rows;
  const problems = resolveProfiles(found, profiles);
  expect(list({ problems })).toEqual([3, 4, 6].map((line) => `error ${line} reelay_profile_id channel-changed`));
  expect(problems.map(({ message }) => message)).toEqual([
    'The row belongs to profile “Garden (p-1)”, but it would be sent to “Odd” (Kitchen).',
    'The row belongs to profile “Garden (p-1)”, but it would be sent to the default channel.',
    'The row belongs to profile “gone”, but it would be sent to “Garden” (p-1).',
  ]);
});

test('an id that a spreadsheet has shortened is still the same', async () => {
  const numbered = ['007', '1234567890123456789'].map((id) => ({ id, name: `P${id}`, channels: both }));
  const lines = ['P007,7', 'P1234567890123456789,1.23457E+18', 'P007,8'].map(
    (cells, index) => `T,https://example.com/${index}.mp4,short,${cells}\n`,
  );
  const found = (await read(`title,source,platform,profile,reelay_profile_id\n${lines.join('')}`)).rows;
  expect(list({ problems: resolveProfiles(found, numbered) })).toEqual(['error 4 reelay_profile_id channel-changed']);
});

test.each([
  ['Gardn', 'Did you mean “Garden”'],
  ['garden', 'Did you mean “Garden”'],
  ['Nobody', 'no profile “Nobody”'],
])('the unknown profile %s is refused', async (name, words) => {
  const problems = resolveProfiles(await rows(`short,${name}`), profiles);
  expect(problems).toMatchObject([
    { severity: 'error', code: 'profile-unknown', message: expect.stringContaining(words) },
  ]);
});

test('a platform without a channel of the profile is warned of', async () => {
  expect(list({ problems: resolveProfiles(await rows('long,p-2'), profiles) })).toEqual([
    'warning 2 profile profile-platform',
  ]);
});

test('for a direct publish that is an error: it goes to a channel of the profile or nowhere', async () => {
  const found = await rows('long,p-2');
  for (const row of found) row.via = 'direct';
  expect(list({ problems: resolveProfiles(found, profiles) })).toEqual(['error 2 profile profile-platform']);
});

test('a platform that no channel shows causes one warning, and one for the rows of each profile', async () => {
  const shortOnly = profiles.map((profile) => ({ ...profile, channels: [{ platform: 'platform_a' }] }));
  expect(list({ problems: resolveProfiles(await rows('long,p-1', 'long,p-2'), shortOnly) })).toEqual([
    'warning - platform platform-not-connected',
    'warning 2 profile profile-platform',
    'warning 3 profile profile-platform',
  ]);
});

test('the default channel stays without a profile', async () => {
  const [row] = await rows('short,');
  expect(resolveProfiles(row === undefined ? [] : [row], profiles)).toEqual([]);
  expect(row).toMatchObject({ profileId: null, profileName: null });
});

test('rows that turn out to be for one channel are reported', async () => {
  const { rows: found } = await read(
    'title,source,platform,profile\nA,https://example.com/a.mp4,short,Garden\nB,https://example.com/a.mp4,short,p-1\n',
  );
  expect(found).toHaveLength(2);
  expect(list({ problems: resolveProfiles(found, profiles) })).toEqual(['error 3 profile duplicate-source']);
});

test('the same video under two keys is reported, also where one row names the profile and the other has its id', async () => {
  const text =
    'title,source,key,platform,profile\nA,https://example.com/a.mp4,k1,short,Garden\nB,https://example.com/a.mp4,k2,short,p-1\n';
  const { rows: found } = await read(text);
  const checked = (repeat: 'refuse' | 'allow') => list({ problems: resolveProfiles(found, profiles, { repeat }) });
  expect(checked('refuse')).toEqual(['error 3 profile same-video']);
  expect(checked('allow')).toEqual([]);
});

test('default as the profile is no profile on purpose, and refused where a profile has that name', async () => {
  const { rows: found, problems } = await read(
    'title,source,platform,profile\nT,https://example.com/1.mp4,short,default\nU,https://example.com/2.mp4,short,p-1\n',
  );
  expect(list({ problems })).toEqual([]);
  expect(found.map(({ profile }) => profile)).toEqual([null, 'p-1']);
  expect(resolveProfiles(found, profiles)).toEqual([]);
  expect(found[0]?.profileId).toBeNull();
  expect(resolveProfiles(found, [...profiles, { id: 'p-9', name: 'default', channels: both }])).toMatchObject([
    { code: 'profile-ambiguous', line: 2, hint: expect.stringContaining('p-9') },
  ]);
});
