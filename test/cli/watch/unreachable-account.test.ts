import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { createWatchFacts } from '../../../cli/watch/watch-facts';
import { type AccountTrouble } from '../../../ledger/channels/account-trouble';
import { Harness } from '../../activities/harness';
import { CapturedStream } from '../capture';

const before = { ...process.env };
let harness: Harness;

afterEach(async () => {
  process.env = { ...before };
  await harness.close();
});

async function status(...args: string[]): Promise<{ out: string; err: string }> {
  await writeFile(
    join(harness.folder, 'reelay.config.yaml'),
    `accounts: { main: { base_url: "${harness.sandbox.baseUrl}" } }\n`,
  );
  process.env = { ...before, REELAY_HOME: harness.folder, REELAY_API_KEY_MAIN: harness.sandbox.apiKey };
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
  const config = ['--config', join(harness.folder, 'reelay.config.yaml')];
  await runCli(['status', 'trial', ...args, ...config], { stdout, stderr });
  return { out: stdout.text, err: stderr.text };
}

async function untilTroubles(wanted: (found: AccountTrouble[]) => boolean): Promise<AccountTrouble[]> {
  for (;;) {
    await harness.follow();
    const found = await harness.ledger.accountTroubles(harness.run);
    if (wanted(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const troubles = (out: string): unknown => (JSON.parse(out) as { account_troubles: unknown }).account_troubles;

it('an account that fails during a run is named in status, its JSON and the progress, with since when and what follows; and no more once it answers', async () => {
  // Longer than the test: they are followed while the account fails.
  harness = await Harness.open({ rows: 2, sandbox: { processing: { minMs: 60_000, maxMs: 60_000 } } });
  await harness.create();
  expect(await harness.ledger.accountTroubles(harness.run)).toEqual([]);
  for (const endpoint of ['list', 'get']) harness.sandbox.rules.add(`${endpoint} -> status 500`);
  const [trouble] = await untilTroubles((found) => found.length > 0);
  expect(trouble).toMatchObject({ account: 'main', kind: 'unreachable', reason: expect.stringContaining('500') });
  // It lasts: the time at which it began stays.
  for (let looks = 0; looks < 3; looks++) await harness.follow();
  expect(await harness.ledger.accountTroubles(harness.run)).toEqual([trouble]);

  expect((await status()).err).toContain('account main could not be reached when a worker last tried (since ');
  const { since } = trouble ?? { since: '' };
  expect(troubles((await status('-o', 'json')).out)).toEqual([
    { account: 'main', kind: 'unreachable', since, reason: expect.stringContaining('500'), next_at: null },
  ]);
  const run = (await harness.ledger.findRun(harness.run))!;
  const facts = await createWatchFacts(harness.ledger)(run, await harness.ledger.counts(run));
  expect(facts.troubles).toMatch(
    /^account main can’t be reached since \S+Z \(.*500.*\); its rows wait and are tried again automatically/,
  );

  harness.sandbox.rules.clear();
  await untilTroubles((found) => found.length === 0);
  expect(troubles((await status('-o', 'json')).out)).toEqual([]);
});

it('a wait that the service asks for is shown with its end; an answer that refuses the key is no outage', async () => {
  harness = await Harness.open({ rows: 1, sandbox: { processing: { minMs: 60_000, maxMs: 60_000 } } });
  await harness.create();
  harness.sandbox.rules.add('get -> status 429 retry-after=40');
  harness.sandbox.rules.add('list -> status 429 retry-after=40');
  const [asked] = await untilTroubles((found) => found.length > 0);
  expect(asked).toMatchObject({ kind: 'throttled', nextAt: expect.stringMatching(/Z$/) });
  const run = (await harness.ledger.findRun(harness.run))!;
  const facts = await createWatchFacts(harness.ledger)(run, await harness.ledger.counts(run));
  expect(facts.troubles).toMatch(/the service asks to wait, since .*tried again automatically, at \S+Z$/);
  harness.sandbox.rules.clear();
  harness.sandbox.rules.add('profiles -> status 401');
  await expect(harness.service.listProfiles()).rejects.toThrow(/API key/);
  await untilTroubles((found) => found.length === 0);
});
