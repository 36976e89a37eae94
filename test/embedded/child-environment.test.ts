import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../embedded/binary/run-command';
import { startKept } from '../../embedded/server/supervised-process';
import { startSandboxProcess } from '../../embedded/stack/sandbox-process';

const before = { ...process.env };
const SECRETS = {
  REELAY_API_KEY: 'k-secret-1',
  REELAY_API_KEY_SHOP: 'k-secret-2',
  REELAY_HOOK: 'https://hooks.example/k-secret-3',
  TEMPORAL_API_KEY: 'k-secret-4',
  GITHUB_TOKEN: 'k-secret-5',
  NODE_OPTIONS: '--title=k-secret-6',
};
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-children-'));
  process.env = { ...before, ...SECRETS };
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true, force: true });
});

test('what runs under the supervisor gets no secret of ours, and its files are its user’s alone', async () => {
  const path = join(folder, 'log');
  const log = await open(path, 'a', 0o600);
  const kept = await startKept('sh', ['-c', 'env; umask; sleep 0.5'], log);
  await kept.gone;
  await log.close();
  const said = await readFile(path, 'utf8');
  expect(said).toMatch(/^PATH=/m);
  expect(said).not.toContain('k-secret');
  expect(said).toMatch(/^0?077$/m);
});

test('pip and tar get proxies and certificates, and no secret', async () => {
  const env = { ...process.env, HTTPS_PROXY: 'http://proxy.example:3128', PIP_INDEX_URL: 'https://pypi.example' };
  const { stdout } = await runCommand('env', [], 10_000, env);
  expect(stdout).toMatch(/^HTTPS_PROXY=/m);
  expect(stdout).toMatch(/^PIP_INDEX_URL=/m);
  expect(stdout).not.toContain('k-secret');
});

test('the sandbox gets no secret either', async () => {
  const script = `console.log(JSON.stringify({ baseUrl: JSON.stringify(process.env), apiKey: 'k' }));
    process.stdin.on('end', () => process.exit(0)).resume();`;
  const sandbox = await startSandboxProcess({ command: process.execPath, args: ['-e', script] }, folder);
  await sandbox.stop();
  expect(JSON.parse(sandbox.baseUrl)).toHaveProperty('PATH');
  expect(sandbox.baseUrl).not.toContain('k-secret');
});
