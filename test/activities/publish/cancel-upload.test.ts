import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Harness } from '../harness';

let folder: string;
let harness: Harness;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-upload-'));
});
afterEach(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

it('an upload in flight stops at a cancel, and its row ends without a publication', async () => {
  const source = join(folder, 'clip.mp4');
  await writeFile(source, Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0'), Buffer.alloc(40_000_000)]));
  const { size, mtimeMs } = await stat(source);
  harness = await Harness.open({
    rows: 1,
    values: () => ({ source, sourceKind: 'file', fileSize: size, fileModifiedMs: mtimeMs }),
    // Hours for all of it: only the cancel ends it while the test lasts.
    sandbox: { faults: ['create -> slow-body 1000'] },
    limits: { uploadStallMs: 3_600_000 },
  });
  const creating = harness.create();
  while (((await harness.ledger.counts(harness.run)).creating ?? 0) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await harness.ledger.cancel({ run: harness.run, by: 'ana' })).toMatchObject({ claimed: 1 });
  await creating;
  await harness.finish();
  expect(harness.accepted().size).toBe(0);
  expect((await harness.results())[0]?.state).toMatch(/^(cancelled|unconfirmed)$/u);
});
