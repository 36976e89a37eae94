import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BEHAVIOURS, parseBehaviours, type BehaviourName } from '../../sandbox/behaviours';
import { optionsFromFlags } from '../../sandbox/flags';
import { OPEN_DEFAULTS } from '../../sandbox/faults/open-choices';
import { call, createUrl, sandboxes } from './client';

const start = sandboxes();
const TITLE = ' Tom  & “Zoë”’s 🎬 trip around the whole world ';

async function shown(behaviours: BehaviourName[], title = TITLE) {
  const sandbox = await start({ behaviours });
  const fields = { platform: 'platform_b', privacy: 'unlisted', description: ` A\nB ${'long '.repeat(20)} ` };
  const created = (await createUrl(sandbox, title, fields)).json.publication;
  const [listed] = (await call(sandbox, 'GET', '/v1/publications')).json.publications;
  const single = (await call(sandbox, 'GET', `/v1/publications/${created.id}`)).json.publication;
  return { created, listed: { ...listed }, single, record: sandbox.publications()[0] };
}

describe('how a behaviour shows what was sent', () => {
  it.each<[BehaviourName, string]>([
    ['echo', TITLE],
    ['collapses-titles', 'Tom & “Zoë”’s 🎬 trip around the whole world'],
    ['lowercases-titles', ' tom  & “zoë”’s 🎬 trip around the whole world '],
    ['encodes-titles', ' Tom  &amp; “Zoë”’s 🎬 trip around the whole world '],
    ['decomposes-titles', TITLE.normalize('NFD')],
    ['truncates-titles', ' Tom  & “Zoë”’s 🎬 trip around…'],
    ['drops-emoji', ' Tom  & “Zoë”’s  trip around the whole world '],
    ['straightens-quotes', ` Tom  & "Zoë"'s 🎬 trip around the whole world `],
  ])('%s: titles', async (name, title) => {
    const { listed, single, record } = await shown([name]);
    expect([listed.title, single.title, record?.title]).toEqual([title, title, TITLE]);
  });

  it('combines', async () => {
    const { single } = await shown(['lowercases-titles', 'collapses-titles', 'encodes-titles', 'truncates-titles']);
    expect(single.title).toBe('tom &amp; “zoë”’s 🎬 trip arou…');
  });

  it.each<[BehaviourName, object, object]>([
    ['trims-descriptions', { description: `A\nB ${'long '.repeat(20)}`.trim() }, {}],
    ['truncates-descriptions', { description: ` A\nB ${'long '.repeat(20)}`.slice(0, 39) + '…' }, {}],
    ['crlf-descriptions', { description: ` A\r\nB ${'long '.repeat(20)} ` }, {}],
    ['uppercases-privacy', { privacy: 'UNLISTED' }, { privacy: 'UNLISTED' }],
    ['private-until-done', { privacy: 'private' }, { privacy: 'private' }],
    ['uppercases-profiles', { profile_id: '5A5D0000-0000-4000-8000-000000000001' }, {}],
    ['renames-platforms', { platform: 'long' }, { platform: 'long' }],
    ['draft-first', { status: 'draft' }, { status: 'draft' }],
    ['pending-first', { status: 'pending' }, { status: 'pending' }],
  ])('%s', async (name, inList, inSingle) => {
    const { created, listed, single } = await shown([name]);
    expect(listed).toMatchObject(inList);
    expect(single).toMatchObject(inSingle);
    expect(created.status).toBe('processing');
  });

  it.each<[BehaviourName, number, RegExp]>([
    ['early-clock', -3_600_000, /Z$/],
    ['late-clock', 3_600_000, /Z$/],
    ['local-times', 3_600_000, /T\d\d:\d\d:\d\d$/],
  ])('%s: created_at', async (name, offset, form) => {
    const { single, record } = await shown([name]);
    const at = new Date((record?.createdAt ?? 0) + offset).toISOString().slice(0, 19);
    expect(single.created_at.slice(0, 19)).toBe(at);
    expect(single.created_at).toMatch(form);
  });

  it('shows the privacy asked for once it is published', async () => {
    const sandbox = await start({ behaviours: ['private-until-done'] });
    const fields = { platform: 'platform_b', privacy: 'public' };
    const { id } = (await createUrl(sandbox, 'A', fields)).json.publication;
    const privacy = async () => (await call(sandbox, 'GET', `/v1/publications/${id}`)).json.publication.privacy;
    expect(await privacy()).toBe('private');
    await sandbox.settle(id, { outcome: 'published' });
    expect(await privacy()).toBe('public');
    await sandbox.edit(id, { privacy: 'private' });
    expect(await privacy()).toBe('private');
  });
});

describe('how a behaviour lists', () => {
  it('short-pages: without a total, in pages shorter than asked for', async () => {
    const sandbox = await start({ behaviours: ['short-pages'] });
    for (let n = 1; n <= 9; n += 1) await createUrl(sandbox, `Clip ${String(n)}`);
    const page = (await call(sandbox, 'GET', '/v1/publications?limit=100')).json;
    expect(page).toMatchObject({ limit: 100, offset: 0 });
    expect(page).not.toHaveProperty('total');
    expect(page.publications).toHaveLength(7);
    const rest = (await call(sandbox, 'GET', '/v1/publications?limit=100&offset=7')).json;
    expect(rest.publications.map(({ title }) => title)).toEqual(['Clip 2', 'Clip 1']);
  });

  it('second-order: by whole seconds, with ties by id', async () => {
    const sandbox = await start({ behaviours: ['second-order'] });
    for (let n = 1; n <= 20; n += 1) await createUrl(sandbox, `Clip ${String(n)}`);
    const { publications } = (await call(sandbox, 'GET', '/v1/publications?limit=100')).json;
    const order = publications.map(({ id, created_at }) => `${created_at.slice(0, 19)} ${id}`);
    const second = (text: string): string => text.slice(0, 19);
    const expected = [...order].sort((a, b) =>
      second(b) > second(a) ? 1 : second(b) < second(a) ? -1 : a < b ? -1 : 1,
    );
    expect(order).toEqual(expected);
  });

  it('lagging-list: publications appear late', async () => {
    const sandbox = await start({ behaviours: ['lagging-list'] });
    const { id } = (await createUrl(sandbox, 'New')).json.publication;
    expect((await call(sandbox, 'GET', '/v1/publications')).json.publications).toEqual([]);
    expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).status).toBe(200);
  });

  it('dead-list: never answers a list', async () => {
    const sandbox = await start({ behaviours: ['dead-list'] });
    expect((await call(sandbox, 'GET', '/v1/publications')).status).toBe(500);
  });
});

describe('how a behaviour answers creates', () => {
  it('reused-ids: with the id of the publication before, of some', async () => {
    const sandbox = await start({ behaviours: ['reused-ids'] });
    const ids: string[] = [];
    for (let n = 1; n <= 150; n += 1) ids.push((await createUrl(sandbox, `Clip ${String(n)}`)).json.publication.id);
    const stored = sandbox.publications().map(({ id }) => id);
    expect(stored).toHaveLength(150);
    const reused = ids.filter((id, index) => id !== stored[index]);
    expect(reused.length).toBeGreaterThan(0);
    for (const [index, id] of ids.entries()) expect([stored[index], stored[index - 1]]).toContain(id);
  });

  it('firewall: stores and answers 403 with a page', async () => {
    const sandbox = await start({ behaviours: ['firewall'] });
    const answers = [];
    for (let n = 1; n <= 200; n += 1) answers.push(await createUrl(sandbox, `Clip ${String(n)}`));
    expect(answers.filter(({ status }) => status === 403).map(({ text }) => text.slice(0, 9))).toEqual([
      '<!doctype',
      '<!doctype',
      '<!doctype',
    ]);
    expect(sandbox.publications()).toHaveLength(200);
  });
});

it('stores other values than were sent, by a fault', async () => {
  const sandbox = await start({ faults: ['create title=Secret -> store-as privacy=public'] });
  const fields = { platform: 'platform_b', privacy: 'private' };
  const { id } = (await createUrl(sandbox, 'Secret', fields)).json.publication;
  expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).json.publication.privacy).toBe('public');
});

it('lets choices and faults add to behaviours', async () => {
  expect(parseBehaviours(['echo,short-pages', 'firewall'])).toEqual(['echo', 'short-pages', 'firewall']);
  expect(() => parseBehaviours(['short-page'])).toThrow(/Unknown behaviour "short-page"\. Known behaviours: echo, /);
  const flags = { behaviour: ['truncates-titles'], open: ['title-max=5', 'title-shown=lower,nfd'], port: '0' };
  const sandbox = await start(optionsFromFlags(flags));
  await createUrl(sandbox, 'EPISODE 1');
  expect((await call(sandbox, 'GET', '/v1/publications')).json.publications[0]?.title).toBe('epis…');
  expect(() => optionsFromFlags({ open: ['title-shown=upper'] })).toThrow(/one or more of collapsed, lower/);
  expect(() => optionsFromFlags({ open: ['page-max=0'] })).toThrow(/from 1 to 100/);
});

it('documents every behaviour and every open choice', () => {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'tasks', 'sandbox.md'), 'utf8');
  for (const [name, { about }] of Object.entries(BEHAVIOURS)) {
    expect(page).toMatch(new RegExp(`\\| \`${name}\` +\\| ${about} +\\|`));
  }
  for (const choice of Object.keys(OPEN_DEFAULTS)) {
    expect(page).toContain(`\`${choice.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}\``);
  }
});
