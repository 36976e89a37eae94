import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENDPOINTS } from '../../../sandbox/faults/fault-rules';
import {
  DESCRIPTION_CHANGES,
  ERROR_BODIES,
  OPEN_DEFAULTS,
  TITLE_CHANGES,
  type OpenChoices,
} from '../../../sandbox/faults/open-choices';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { readAllPublications } from '../../../service/api/all-publications';
import { type ServiceClient } from '../../../service/api/client';
import { ServiceError } from '../../../service/errors';
import { type Publication } from '../../../service/api/publication';
import { cleanUp, clientFor, later, temporaryFolder } from '../local-servers';

afterEach(cleanUp);

/** What each choice can be besides its default; a number has some values that a service may well take. */
const OTHERS: { [choice in keyof OpenChoices]: readonly OpenChoices[choice][] } = {
  echoTitle: [true],
  echoDescription: [true],
  echoProfile: [true],
  echoCreatedAt: [true],
  echoPrivacy: [true],
  titleShown: [TITLE_CHANGES],
  titleMax: [4],
  descriptionShown: [DESCRIPTION_CHANGES],
  privacyShown: ['upper', 'private-until-done'],
  profileShown: ['upper'],
  platformShown: ['role'],
  createdAtShown: ['hour-early', 'hour-late', 'no-zone'],
  ingestStatus: ['pending', 'draft'],
  failureField: ['failure_reason', 'error', 'reason', 'status_message', 'unheard_of'],
  furtherFields: [true],
  privacyOnShort: [false],
  profileEnvelope: ['bare'],
  updateStatus: [201, 202, 203],
  deleteStatus: [201, 202, 204],
  directStatus: [201, 202, 203],
  immutableStatus: [400, 403, 404, 405, 409, 410, 422, 423],
  invalidStatus: [400, 409, 413, 415, 422],
  errorBody: ERROR_BODIES.filter((shape) => shape !== OPEN_DEFAULTS.errorBody),
  draftsListed: [false],
  directListed: [true],
  pending: ['goes-on'],
  pendingMs: [0],
  listLagMs: [3_600_000],
  // Reads by id lag too, so nothing could be followed: test/sandbox/routes/listing.test.ts.
  readLagMs: [],
  listTotal: [false],
  pageMax: [2],
  // What order that gives depends on random ids: test/sandbox/behaviours.test.ts.
  listOrder: [],
  pageLimit: ['clamp'],
  longOnlyFields: ['ignore'],
};

/** What every call came to, by its name: what the interface shows, with ids by the order they were given in. */
type Outcomes = Record<string, unknown>;

/** What a choice may change of that, and why; nothing else may differ. */
const DIFFERS: { [choice in keyof OpenChoices]?: (value: unknown) => Outcomes } = {
  // An error status has its own error class (section 7 shows none).
  immutableStatus: (status) => ({ 'update published': kindOf(Number(status)) }),
  invalidStatus: (status) => ({ 'create refused': kindOf(Number(status)), 'direct refused': kindOf(Number(status)) }),
  privacyOnShort: () => ({ 'get short': { platform: 'platform_a', status: 'published', privacy: null, ended: true } }),
  draftsListed: () => ({ list: ['failed', 'long', 'short'], all: ['failed', 'long', 'short'] }),
  directListed: () => ({
    list: ['direct', 'failed', 'draft', 'long', 'short'],
    all: ['direct', 'failed', 'draft', 'long', 'short'],
  }),
  listLagMs: () => ({ list: [], 'list filtered': [], all: [] }),
  pageMax: () => ({ list: ['failed', 'draft'] }),
  privacyShown: (how) =>
    showing('privacy', (privacy, { ended }) => {
      if (how === 'upper') return typeof privacy === 'string' ? privacy.toUpperCase() : privacy;
      return privacy === null || ended === true ? privacy : 'private';
    }),
  platformShown: () => showing('platform', (platform) => (platform === 'platform_a' ? 'short' : 'long')),
  ingestStatus: (status) =>
    showing('status', (shown, { httpStatus }) => (shown === 'processing' && httpStatus === undefined ? status : shown)),
};

/** The outcomes that show a publication, with one of its fields shown otherwise. */
function showing(field: string, how: (value: unknown, all: Outcomes) => unknown): Outcomes {
  const shown = Object.entries(standard).filter(
    ([, value]) => typeof value === 'object' && value !== null && 'platform' in value,
  );
  return Object.fromEntries(
    shown.map(([name, value]) => {
      const all = value as Outcomes;
      return [name, { ...all, [field]: how(all[field], all) }];
    }),
  );
}

function kindOf(status: number): string {
  if (status === 403) return 'access';
  if (status === 404) return 'not-found';
  return status === 409 ? 'ambiguous' : 'refused';
}

/** Every endpoint, in every form, with what the service can only refuse. */
async function everyCall(sandbox: RunningSandbox, client: ServiceClient, path: string): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const names = new Map<string, string>();
  const call = async <T>(name: string, work: Promise<T>, show: (value: T) => unknown): Promise<T | undefined> => {
    try {
      const value = await work;
      outcomes[name] = show(value);
      return value;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect(error.message).not.toContain(sandbox.apiKey);
      outcomes[name] = error.kind;
      return undefined;
    }
  };
  const core = ({ platform, status, privacy, videoId, videoUrl, publishedAt }: Publication) => ({
    ...{ platform, status, privacy },
    ended: videoId !== null && videoUrl !== null && publishedAt !== null,
  });
  const named = (publications: readonly Publication[]) => publications.map(({ id }) => names.get(id) ?? 'nobody knows');
  const create = async (name: string, input: Parameters<ServiceClient['createPublication']>[0]): Promise<string> => {
    const created = await call(`create ${name}`, client.createPublication(input), ({ publication, httpStatus }) => ({
      ...core(publication),
      httpStatus,
    }));
    names.set(created?.publication.id ?? '', name);
    return created?.publication.id ?? '';
  };

  const url = { kind: 'url', url: 'https://videos.example/1.mp4' } as const;
  const file = { kind: 'file', path } as const;
  const profiles = await call('profiles', client.listProfiles(), (list) => [
    list.total,
    list.profiles.map(({ name, channels }) => [name, channels.map(({ platform }) => platform)]),
  ]);
  const profileId = profiles?.profiles[0]?.id ?? '';
  await call('profile', client.getProfile(profileId), ({ id, name, channels }) => [id, name, channels.length]);
  await call('profile unknown', client.getProfile('nobody'), () => 'found');
  await call('key unknown', clientFor(sandbox.baseUrl, { apiKey: 'another-key' }).listProfiles(), () => 'let in');

  const short = await create('short', {
    platform: 'platform_a',
    title: 'S',
    profileId,
    status: 'published',
    source: url,
  });
  const long = { platform: 'platform_b', title: 'L', description: 'D', privacy: 'unlisted' } as const;
  const uploaded = await create('long', { ...long, status: 'published', source: file });
  const draft = await create('draft', { ...long, status: 'draft', source: { kind: 'none' } });
  const failed = await create('failed', { ...long, status: 'published', source: url });
  await create('refused', { ...long, platform: 'nowhere', status: 'published', source: url });
  const sent = client.publishDirect(profileId, { platform: 'platform_a', title: 'T', source: file });
  const direct = await call('direct', sent, ({ publishId, platform, message }) => [
    publishId !== '',
    platform,
    message,
  ]);
  names.set(direct?.publishId ?? '', 'direct');
  const refused = client.publishDirect(profileId, { platform: 'nowhere', source: file });
  await call('direct refused', refused, () => 'accepted');

  await sandbox.settle(short, { outcome: 'published' });
  await sandbox.settle(failed, { outcome: 'failed', reason: 'because' });
  await call('get short', client.getPublication(short), core);
  await call('get processing', client.getPublication(uploaded), core);
  await call('get failed', client.getPublication(failed), core);
  await call('get unknown', client.getPublication('nobody'), core);
  await call('list', client.listPublications({ limit: 100 }), ({ publications }) => named(publications));
  const filter = { platform: 'platform_a', status: 'published', profileId, limit: 1 };
  await call('list filtered', client.listPublications(filter), ({ publications }) => named(publications).slice(0, 1));
  await call('all', readAllPublications(client, {}, { pageSize: 2 }), named);

  await call('update draft', client.updatePublication(draft, { title: 'N', privacy: 'public', status: 'draft' }), core);
  await call('update published', client.updatePublication(short, { title: 'N' }), core);
  await call('update unknown', client.updatePublication('nobody', { title: 'N' }), core);
  await call('pending', client.updatePublication(draft, { status: 'pending' }), ({ id }) => id === draft);
  await call('delete', client.deletePublication(uploaded), ({ ok }) => ok);
  await call('delete again', client.deletePublication(uploaded), ({ ok }) => ok);
  return outcomes;
}

async function outcomesOf(open: Partial<OpenChoices>, rules: readonly string[] = []): Promise<Outcomes> {
  // What is accepted stays as it is until it is settled.
  const processing = { minMs: 3_600_000, maxMs: 3_600_000 };
  const sandbox = await startSandbox({ open, processing, faults: rules });
  later(() => sandbox.close());
  const path = join(await temporaryFolder(), 'clip.mp4');
  await writeFile(path, Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0'), Buffer.alloc(1_000)]));
  return everyCall(sandbox, clientFor(sandbox.baseUrl, { apiKey: sandbox.apiKey }), path);
}

let standard: Outcomes;
beforeAll(async () => {
  standard = await outcomesOf({});
  await cleanUp();
});

test('with the defaults every endpoint does what the interface shows', () => {
  expect(standard).toEqual({
    profiles: [3, ['Garden', 'Kitchen', 'Travel'].map((name) => [name, ['platform_a', 'platform_b', 'platform_c']])],
    profile: [expect.any(String), 'Garden', 3],
    'profile unknown': 'not-found',
    'key unknown': 'access',
    'create short': { platform: 'platform_a', status: 'processing', privacy: null, ended: false, httpStatus: 202 },
    'create long': { platform: 'platform_b', status: 'processing', privacy: null, ended: false, httpStatus: 202 },
    'create draft': { platform: 'platform_b', status: 'draft', privacy: null, ended: false, httpStatus: 202 },
    'create failed': { platform: 'platform_b', status: 'processing', privacy: null, ended: false, httpStatus: 202 },
    'create refused': 'refused',
    direct: [true, 'platform_a', 'The video was submitted for processing.'],
    'direct refused': 'refused',
    'get short': { platform: 'platform_a', status: 'published', privacy: 'public', ended: true },
    'get processing': { platform: 'platform_b', status: 'processing', privacy: 'unlisted', ended: false },
    'get failed': { platform: 'platform_b', status: 'failed', privacy: 'unlisted', ended: false },
    'get unknown': 'not-found',
    list: ['failed', 'draft', 'long', 'short'],
    'list filtered': ['short'],
    all: ['failed', 'draft', 'long', 'short'],
    'update draft': { platform: 'platform_b', status: 'draft', privacy: 'public', ended: false },
    'update published': 'ambiguous',
    'update unknown': 'not-found',
    pending: true,
    delete: true,
    'delete again': 'not-found',
  });
});

const cases = Object.entries(OTHERS).flatMap(([choice, values]) =>
  values.map((value): [choice: keyof OpenChoices, value: unknown] => [choice as keyof OpenChoices, value]),
);

test.each(cases)('nothing else comes of any endpoint where the service chose %s = %j', async (choice, value) => {
  const outcomes = await outcomesOf({ [choice]: value });
  expect(outcomes).toEqual({ ...standard, ...DIFFERS[choice]?.(value) });
});

/** Success statuses of all endpoints but the create are open (section 4.8); a create is accepted with another 2xx too. */
const statuses = ENDPOINTS.flatMap((endpoint) => [200, 201, 202, 203].map((status) => [endpoint, status] as const));

test.each(statuses)('nothing else comes of it where %s succeeds with %d', async (endpoint, status) => {
  const outcomes = await outcomesOf({}, [`${endpoint} -> success-status ${String(status)}`]);
  const seen = JSON.parse(
    JSON.stringify(outcomes).replaceAll(`"httpStatus":${String(status)}`, '"httpStatus":202'),
  ) as unknown;
  expect(seen).toEqual(standard);
});

test('every open choice is varied', () => {
  expect(Object.keys(OTHERS).sort()).toEqual(Object.keys(OPEN_DEFAULTS).sort());
});
