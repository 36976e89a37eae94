import { Readable } from 'node:stream';
import { manifestSource } from '../../../cli/submission/manifest-flags';
import { readManifest } from '../../../manifests/read-manifest';

const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};

afterEach(() => Object.defineProperty(process, 'stdin', own));

test('standard input is read up to the limit of a manifest, and refused beyond it', async () => {
  let taken = 0;
  const piece = Buffer.alloc(1024 * 1024, 'a');
  function* pieces() {
    for (; taken < 200; taken += 1) yield piece;
  }
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(pieces()) });
  const { problems } = await readManifest(
    await manifestSource('-', undefined, { privateHosts: [], configPath: null, configNamed: false }),
    {
      platforms: [],
      now: Date.now(),
    },
  );
  expect(problems.map(({ code }) => code)).toEqual(['manifest-too-large']);
  // A stream reads some pieces ahead.
  expect(taken).toBeLessThan(130);
});
