import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MP4 } from '../../manifests/support';
import { Harness } from '../harness';

let folder: string;
let harness: Harness;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-changed-'));
});
afterEach(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['reconcile', 'list-unproven'],
  ['hold', 'held'],
] as const)(
  'a file that changed while it was sent is named whatever its row ends with (%s)',
  async (ambiguous, code) => {
    // Far more than the connection's buffers hold: it changes while it is sent.
    const source = join(folder, 'clip.mp4');
    await writeFile(source, Buffer.concat([MP4, Buffer.alloc(30_000_000)]));
    const { size, mtimeMs } = await stat(source);
    harness = await Harness.open({
      rows: 1,
      ambiguous,
      values: () => ({ source, sourceKind: 'file', fileSize: size, fileModifiedMs: mtimeMs }),
      sandbox: { faults: ['create -> slow-body 10000000'] },
    });
    const creating = harness.create();
    while (harness.sandbox.stats().requests.create === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await appendFile(source, 'more');
    await creating;
    await harness.finish();
    const [row] = await harness.results();
    expect(row).toMatchObject({ state: 'unconfirmed', code });
    expect(row?.message).toContain(`${source} grew while it was sent`);
    expect(row?.message).toContain('nothing was found');
  },
  60_000,
);
