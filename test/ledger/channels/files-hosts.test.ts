import { Bench, entry, submission } from '../support';

const FILE = { sourceKind: 'file', source: '/videos/a.mp4' } as const;

describe('the host that has a row’s file', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const rows = () => [entry(0, 'a', { values: FILE }), entry(1, 'b')];

  async function page(run: { campaign: string; number: number }) {
    const [channel] = await bench.ledger.channels(run);
    const found = await bench.ledger.takePage({ run, channelId: channel!.id, limit: 10, now: bench.time });
    return found.map(({ upload, filesHost }) => ({ upload, filesHost }));
  }

  it('comes with the row, and only with that of a file', async () => {
    const run = await bench.begin(submission(rows(), { filesHost: 'desk' }));
    expect(await page(run)).toEqual([
      { upload: true, filesHost: 'desk' },
      { upload: false, filesHost: undefined },
    ]);
    expect(await bench.ledger.filesHosts(run)).toEqual(['desk']);
    await bench.claimed(run, await bench.firstId(run));
    expect(await bench.ledger.filesHosts(run)).toEqual([]);
  });

  it('is the one that submitted the manifest last', async () => {
    await bench.begin(submission(rows(), { filesHost: 'desk' }));
    const run = await bench.begin(submission(rows(), { filesHost: 'studio' }));
    expect(await bench.ledger.filesHosts(run)).toEqual(['studio']);
  });

  it('is none where none was named', async () => {
    const run = await bench.begin(submission(rows()));
    expect(await page(run)).toEqual([
      { upload: true, filesHost: undefined },
      { upload: false, filesHost: undefined },
    ]);
    expect(await bench.ledger.filesHosts(run)).toEqual([]);
  });
});
