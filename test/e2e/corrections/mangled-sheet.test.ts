import { readFile, writeFile } from 'node:fs/promises';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const on = machineWithService({
  faults: ['create title="Clip 7" -> outcome failed', 'create title="Clip 9" -> outcome failed'],
});

const MANIFEST = ['7', '8', '9'].map((n) => `00${n},https://videos.example/${n}.mp4,short,Garden,Clip ${n}\n`).join('');

async function edited(states: string, edit: (text: string) => string): Promise<string> {
  await on.machine.here(['results', 'show', '--state', states, '--out', 'fix.csv', '--force']);
  const path = on.machine.path('fix.csv');
  await writeFile(path, edit(await readFile(path, 'utf8')));
  return path;
}

beforeEach(async () => {
  await writeFile(on.machine.path('show.csv'), `key,source,platform,profile,title\n${MANIFEST}`);
  expect((await on.machine.run(['run', 'show.csv', '--yes'])).code).toBe(5);
});

test('a results sheet is refused whose keys, titles or sources a spreadsheet has moved or changed, and nothing is sent', async () => {
  const { machine, service } = on;
  // Leading zeros are lost in both columns.
  const path = await edited('failed', (text) => text.replaceAll(/\b00(?=[79]\b)/gu, ''));
  const keys = await machine.here(['plan', path]);
  expect([keys.code, keys.stderr]).toEqual([
    3,
    expect.stringMatching(
      /error row-unknown line 2, reelay_key: The sheet has the row with key “7” as failed, but campaign show has no such row/u,
    ),
  ]);
  expect(keys.stderr).toContain('2 errors');

  const swap = (text: string): string =>
    text.replace(',Clip 7,', ',Clip x,').replace(',Clip 9,', ',Clip 7,').replace(',Clip x,', ',Clip 9,');
  const titles = await machine.here(['plan', await edited('failed', swap)]);
  expect([titles.code, titles.stderr]).toEqual([
    3,
    expect.stringContaining(
      'error cells-shifted line 2, title: The row’s title “Clip 9” is the one that the sheet records for another row (reelay_title). So are those of 1 more.',
    ),
  ]);

  const swapSources = (text: string): string =>
    text.replace('/7.mp4,', '/x.mp4,').replace('/9.mp4,', '/7.mp4,').replace('/x.mp4,', '/9.mp4,');
  const sources = await machine.here(['plan', await edited('failed', swapSources)]);
  expect([sources.code, sources.stderr]).toEqual([3, expect.stringContaining('error cells-shifted line 2, source')]);

  // Filled down from a row that was published, and is in the sheet unchanged.
  const filled = (text: string): string => text.replace(/\/9\.mp4,/u, '/8.mp4,');
  const down = await machine.here(['plan', await edited('failed,published', filled)]);
  expect([down.code, down.stderr]).toEqual([3, expect.stringContaining('error cells-shifted line 4, source')]);

  // What was cleared is meant.
  const meant = (text: string): string => swap(text).replaceAll(/,Garden,([^,]*),Clip [79],/gu, ',Garden,$1,,');
  expect(await machine.here(['plan', await edited('failed', meant)])).toMatchObject({ code: 0 });
  expect(service.log()).toHaveLength(3);
});

test('a results sheet of another ledger is refused where it says that a row was sent', async () => {
  const { machine } = on;
  const published = await edited('published', (text) => text);
  const elsewhere = { REELAY_HOME: machine.path('other-home') };
  const refused = await machine.run(['plan', published], elsewhere);
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringContaining(
      'The sheet has the row with key “008” as published, but this ledger doesn’t know the campaign show',
    ),
  ]);
  // What failed there isn't at the service.
  expect((await machine.run(['plan', await edited('failed', (text) => text)], elsewhere)).code).toBe(0);
});
