import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../../cli/config/settings';
import { openAccounts, openOwnLedger } from '../../../../cli/stack/engine';
import { prepareManifest } from '../../../../cli/submission/submission';
import { runCli } from '../../../../cli/run-cli';
import { startSandbox } from '../../../../sandbox/server';
import { CapturedStream } from '../../capture';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test.each([
  ['nothing', [], 3],
  ['--yes, which only answers the question whether to publish', ['--yes'], 3],
  ['--uncancel', ['--uncancel'], 0],
])('a cancelled row of the manifest with %s', async (_, flags, expected) => {
  const service = await startSandbox({ apiKey: 'their-key' });
  const home = await mkdtemp(join(tmpdir(), 'reelay-cancelled-'));
  try {
    Object.assign(process.env, { REELAY_HOME: home, REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' });
    const manifest = join(home, 'spring.csv');
    await writeFile(manifest, 'key,source,platform,title\nq5,https://videos.example/5.mp4,short,Five\n');
    const config = join(home, 'reelay.config.yaml');
    await writeFile(config, '{}\n', { mode: 0o600 });
    const settings = await loadSettings({ home }, process.env, home);
    const accounts = await openAccounts(settings);
    const ledger = await openOwnLedger(settings);
    const { input } = await prepareManifest({ source: { path: manifest }, flags: {}, settings, accounts });
    const { run } = await ledger.submit(input!);
    expect(await ledger.submittedConfig('spring')).toEqual({ path: config, named: false });
    await ledger.importSubmissions(run);
    await ledger.cancel({ run, by: 'ana@desk', keys: ['q5'] });
    await ledger.close();
    await accounts.close();

    const stdout = new CapturedStream();
    const code = await runCli(['plan', manifest, '-o', 'json', ...flags], { stdout, stderr: new CapturedStream() });
    const { problems } = JSON.parse(stdout.text) as { problems: { code: string; hint: string }[] };
    const refused = problems.find((problem) => problem.code === 'rows-cancelled');
    expect([code, refused?.hint]).toEqual([
      expected,
      expected === 0
        ? undefined
        : 'with --uncancel they are sent after all; mark them skip in the manifest to leave them cancelled',
    ]);
  } finally {
    await service.close();
    await rm(home, { recursive: true, force: true });
  }
});
