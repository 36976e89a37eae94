import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { thisHost } from '../../../cli/stack/engine';
import { openLedger } from '../../../ledger/open';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { entries, submission } from '../../ledger/support';
import { CapturedStream } from '../capture';

/** A manifest whose columns are named in German, which is submitted again without the flags that it was read with. */
describe('a manifest that is refused because the command lacks its flags', () => {
  let service: RunningSandbox;
  let home: string;
  let manifest: string;
  const before = { ...process.env };
  beforeAll(async () => (service = await startSandbox({ apiKey: 'their-key' })));
  afterAll(() => service.close());
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'reelay-lacking-'));
    manifest = join(home, 'spring.csv');
    await writeFile(manifest, 'Datei,platform,title,Datum\nhttps://videos.example/a.mp4,short,One,2099-01-01 18:00\n');
    Object.assign(process.env, { REELAY_HOME: home, REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' });
    await mkdir(join(home, 'sandbox'));
    for (const path of [join(home, 'ledger.db'), join(home, 'sandbox', 'ledger.db')]) {
      const ledger = await openLedger({ path }, { host: await thisHost() });
      await ledger.submit(
        submission(entries('a'), {
          path: manifest,
          given: [
            ['--column', 'Datei=source'],
            ['--column', 'Datum=publish_at'],
            ['--timezone', 'Europe/Berlin'],
            ['--keep'],
          ],
        }),
      );
      await ledger.close();
    }
  });
  afterEach(async () => {
    process.env = { ...before };
    await rm(home, { recursive: true, force: true });
  });

  async function said(...words: string[]): Promise<string> {
    const stderr = new CapturedStream();
    expect(await runCli(words, { stdout: new CapturedStream(), stderr })).toBe(3);
    return stderr.text;
  }

  it.each([
    ['plan', []],
    ['run', ['--sandbox']],
  ])('is answered by %s with those flags', async (command, flags) => {
    expect(await said(command, manifest, ...flags)).toContain(
      'The manifest of campaign spring was read with --column Datei=source --column Datum=publish_at --timezone Europe/Berlin before: add that to the command, or fix the file.',
    );
    expect(await said(command, manifest, ...flags, '--column', 'Datei=source')).toContain(
      'was read with --timezone Europe/Berlin before',
    );
  });

  it('is to be fixed where the command has them', async () => {
    const all = ['--column', 'Datei=title', '--timezone', 'Europe/Berlin'];
    const text = await said('run', manifest, '--sandbox', ...all);
    expect(text).toContain('Fix the file and repeat the command.');
    expect(text).not.toContain('before: add');
  });
});
