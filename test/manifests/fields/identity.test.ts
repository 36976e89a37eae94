import { join } from 'node:path';
import { sourceFolder } from '../../../ledger/model/source';
import { readManifest } from '../../../manifests/read-manifest';
import { errors, folder, list, MP4, NOW, PLATFORMS, read, readYaml, removeFolders } from '../support';

afterEach(removeFolders);

const defaults = { platform: 'short' };

describe('keys', () => {
  test('without a key, a row is known by its normalised source', async () => {
    const base = folder({ 'clips/a.mp4': MP4, 'Gru\u0308n.mp4': MP4 });
    const text = `title,source\nA,./clips/../clips/a.mp4\nB,${base}/Gru\u0308n.mp4\nC,HTTPS://Example.com:443/x/../v.mp4#t=1\n`;
    const reading = await read(text, { base, defaults });
    expect(list(reading)).toEqual([]);
    expect(reading.rows.map(({ key, keyGiven }) => [key, keyGiven])).toEqual([
      ['clips/a.mp4', false],
      ['Gr\u00fcn.mp4', false],
      ['https://example.com/v.mp4', false],
    ]);
  });

  test('a URL with a query needs a key, and its query is not shown', async () => {
    const reading = await read(
      'title,source,key\nA,https://example.com/a.mp4?sig=SECRET,\nB,https://example.com/b.mp4?sig=SECRET, ep-2 \n',
      { defaults },
    );
    expect(errors(reading)).toEqual(['error 2 source key-needed']);
    expect(reading.rows).toMatchObject([
      { key: 'ep-2', keyGiven: true, source: 'https://example.com/b.mp4?sig=SECRET' },
    ]);
    expect(JSON.stringify(reading.problems)).not.toContain('SECRET');
  });
});

describe('duplicates', () => {
  test('the same video twice to one channel is reported with both lines', async () => {
    const reading = await read('title,source\nA,https://example.com/a.mp4\nB,https://EXAMPLE.com/a.mp4\n', {
      defaults,
    });
    expect(errors(reading)).toEqual(['error 3 source duplicate-source']);
    expect(reading.problems[0]?.message).toContain('lines 2 and 3');
    expect(reading.rows).toHaveLength(1);
    const source = 'https://example.com/a.mp4';
    expect(reading.invalidRows).toEqual([
      { line: 3, cells: { title: 'B', source: 'https://EXAMPLE.com/a.mp4' }, key: source, source },
    ]);
  });

  test('the same key twice is reported; other channels and other keys are fine', async () => {
    const text = `title,source,key,platform,profile
A,https://example.com/a.mp4,k,short,Garden
B,https://example.com/b.mp4,k,short,Garden
C,https://example.com/a.mp4,k,short,Kitchen
D,https://example.com/d.mp4,other,short,Garden
`;
    expect(errors(await read(text))).toEqual(['error 3 key duplicate-key']);
  });

  test('the same video under two keys is an error, as it is likely a slip of copying, unless repeat: allow says that it is meant', async () => {
    const text = `title,source,key,platform,profile,skip
A,https://example.com/a.mp4,k1,short,Garden,
A again,https://example.com/a.mp4,k2,short,Garden,
B,https://example.com/b.mp4,k3,short,Garden,yes
B new,https://example.com/b.mp4,k4,short,Garden,
`;
    const reading = await read(text);
    expect(reading.problems.filter(({ code }) => code === 'same-video')).toMatchObject([
      {
        severity: 'error',
        line: 3,
        message: expect.stringContaining('lines 2 and 3'),
        hint: expect.stringContaining('repeat: allow'),
      },
    ]);
    expect(reading.rows.map(({ key }) => key)).toEqual(['k1', 'k3', 'k4']);
    const allowed = await read(text, { settings: { repeat: 'allow' } });
    expect(errors(allowed)).toEqual([]);
    expect(allowed.rows).toHaveLength(4);
  });
});

describe('result files', () => {
  const head = 'title,source,platform,reelay_key,reelay_campaign,reelay_platform,reelay_state,reelay_whatever';

  test('say which row it is: campaign, key and platform; all else of ours is ignored', async () => {
    const text = `${head}
Mended,https://example.com/new.mp4,short|long,ep-1,autumn,platform_a,failed,x
,https://example.com/2.mp4,short,ep-2,autumn,platform_a,failed,x
`;
    const reading = await read(text, { name: 'anything.csv' });
    expect(errors(reading)).toEqual([]);
    expect(reading.campaign).toBe('autumn');
    expect(reading.columns).toEqual(['title', 'source', 'platform']);
    expect(reading.rows.map(({ key, keyGiven, platform }) => [key, keyGiven, platform])).toEqual([
      ['ep-1', true, 'platform_a'],
      ['ep-2', true, 'platform_a'],
    ]);
    expect(Object.keys(reading.rows[0]?.cells ?? {})).toEqual(['title', 'source', 'platform']);
  });

  test('of two campaigns, or of another than asked for, are refused', async () => {
    const row = (n: number, campaign: string): string => `T,https://example.com/${n}.mp4,short,k${n},${campaign},,,\n`;
    expect(errors(await read(`${head}\n${row(1, 'a')}${row(2, 'b')}`))).toEqual([
      'error 3 reelay_campaign campaign-mixed',
    ]);
    expect(errors(await read(`${head}\n${row(1, 'a')}`, { campaign: 'c' }))).toEqual([
      'error 2 reelay_campaign campaign-mixed',
    ]);
  });

  test('of an account are refused in another one', async () => {
    const accountPlatforms = { default: PLATFORMS, brand: PLATFORMS };
    const text = `title,source,platform,account,key,reelay_account
A,https://example.com/a.mp4,short,,a,default
B,https://example.com/b.mp4,short,brand,b,default
C,https://example.com/c.mp4,short,,c,brand
D,https://example.com/d.mp4,short,brand,d,
`;
    const reading = await read(text, { accountPlatforms, fallbackAccount: 'default' });
    expect(errors(reading)).toEqual([
      'error 3 reelay_account channel-changed',
      'error 4 reelay_account channel-changed',
    ]);
    expect(reading.problems.find(({ line }) => line === 4)?.message).toBe(
      'The row belongs to account “brand”, but it would be sent with account “default”.',
    );
    expect(reading.rows.map(({ key }) => key)).toEqual(['a', 'd']);
  });

  test.each([
    ['sandbox', 'default'],
    ['default', 'sandbox'],
  ])('of the account %s are accepted in the account %s, as one of them is a rehearsal’s', async (recorded, account) => {
    const text = `title,source,platform,key,profile,reelay_account,reelay_profile_id
A,https://example.com/a.mp4,short,a,Garden,${recorded},p-9
`;
    const reading = await read(text, { fallbackAccount: account });
    expect([errors(reading), reading.rows[0]?.account, reading.rows[0]?.recordedProfileId]).toEqual([
      [],
      account,
      undefined,
    ]);
  });

  test('an edited key is refused', async () => {
    const text = 'title,source,platform,key,reelay_key\nA,https://example.com/a.mp4,short,new,old\n';
    expect(errors(await read(text))).toEqual(['error 2 key key-conflict']);
  });

  test('in another folder say where their relative paths start, so that those mean the same file and key', async () => {
    const base = folder({ 'clips/a.mp4': MP4 });
    const text = `title,source,platform,reelay_folder\nA,clips/a.mp4,short,${base}\n`;
    const reading = await read(text, { base: join(base, 'out') });
    expect(errors(reading)).toEqual([]);
    expect(reading.columns).toEqual(['title', 'source', 'platform']);
    const source = join(base, 'clips/a.mp4');
    expect(reading.rows).toMatchObject([{ key: 'clips/a.mp4', source, cells: { reelay_folder: base } }]);
    expect(sourceFolder(reading.rows[0]!.cells, join(base, 'out/fix.csv'))).toBe(base);
  });

  test('from the network name no folder of this machine, for no later file either', async () => {
    const text = 'title,source,platform,reelay_folder\nA,https://example.com/a.mp4,short,/etc\n';
    const remote = { privateHosts: [], address: 'https://example.com/m.csv' };
    const source = { text: Buffer.from(text), name: 'm.csv', base: '/nonexistent', remote };
    const reading = await readManifest(source, { platforms: PLATFORMS, now: NOW });
    expect(reading.rows).toMatchObject([{ source: 'https://example.com/a.mp4' }]);
    expect(sourceFolder(reading.rows[0]!.cells, reading.path)).toBeNull();
  });

  test('have the apostrophe before a formula taken off, other files not', async () => {
    const row = "'=1+1,https://example.com/a.mp4,short";
    expect((await read(`title,source,platform,reelay_key\n${row},k\n`)).rows[0]?.title).toBe('=1+1');
    expect((await read(`title,source,platform\n${row}\n`)).rows[0]?.title).toBe("'=1+1");
  });
});

describe('campaigns', () => {
  test.each([
    ['Spring Sale (März).csv', 'spring-sale-marz'],
    ['2026.Q1.csv', '2026.q1'],
  ])('%s names the campaign %s', async (name, campaign) => {
    expect((await read('source,title\nhttps://example.com/a.mp4,T\n', { name, defaults })).campaign).toBe(campaign);
  });

  test('a name that can’t be one is refused', async () => {
    const text = 'source,title\nhttps://example.com/a.mp4,T\n';
    expect(list(await read(text, { name: '東京.csv', defaults }))).toEqual(['error - campaign campaign-name']);
    const asked = await read(text, { campaign: 'Spring Sale', defaults });
    expect(asked.problems).toMatchObject([{ code: 'campaign-name', hint: 'Use --campaign spring-sale.' }]);
    expect(list(await read(text, { campaign: 'latest', defaults }))).toEqual(['error - campaign campaign-name']);
  });

  test('asking overrides the manifest', async () => {
    const yaml = 'campaign: own\nvideos: [{source: "https://example.com/a.mp4", title: T, platform: short}]\n';
    expect((await readYaml(yaml)).campaign).toBe('own');
    expect((await readYaml(yaml, { campaign: 'asked' })).campaign).toBe('asked');
  });
});
