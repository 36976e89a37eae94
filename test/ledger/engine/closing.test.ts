import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open';
import { Bench, entries, submission } from '../support';

describe('a ledger that is closed', () => {
  let bench: Bench;
  let folder: string;

  beforeEach(async () => {
    bench = await new Bench().open();
    folder = mkdtempSync(join(tmpdir(), 'reelay-closing-'));
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const runsOfCopy = async () => {
    const path = join(folder, 'ledger.db');
    copyFileSync(bench.path, path);
    const copy = await openLedger({ path });
    const runs = await copy.listRuns({ limit: 10 });
    await copy.close();
    return runs.length;
  };

  it('has all of it in its one file, and nothing in the log beside it', async () => {
    const ledger = await openLedger({ path: bench.path });
    await bench.begin(submission(entries('a', 'b')));
    expect(size(`${bench.path}-wal`)).toBeGreaterThan(0);
    await ledger.close();
    expect(size(`${bench.path}-wal`)).toBe(0);
    expect(await runsOfCopy()).toBe(1);
  });

  it('leaves what another one has open as usable as before', async () => {
    const other = await openLedger({ path: bench.path });
    await bench.begin(submission(entries('a')));
    await other.close();
    await bench.begin(submission(entries('b'), { campaign: 'other' }));
    expect(await bench.ledger.listRuns({ limit: 10 })).toHaveLength(2);
  });
});
