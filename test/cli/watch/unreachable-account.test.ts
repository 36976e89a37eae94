import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { createWatchFacts } from '../../../cli/watch/watch-facts';
import { type AccountTrouble } from '../../../ledger/channels/account-trouble';
import { reportHealth } from '../../../activities/accounts/account-health';
import { buildAccounts } from '../../../worker/accounts';
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

describe('an account that isn’t configured any more', () => {
  const GONE =
    /account main can’t be used by a worker since \S+ \(account "main" is not configured here.*\); its rows wait until a worker is started whose config has the account and its key/u;
  const forget = () => {
    harness.deps.accounts = reportHealth({ ...harness.deps, accounts: buildAccounts([]) });
  };

  beforeEach(async () => {
    harness = await Harness.open({ rows: 2 });
    forget();
    await harness.create();
  });

  it('is named in status, its JSON and the progress, with what to do', async () => {
    await untilTroubles((found) => found.length > 0);
    expect((await status()).err).toContain('account main can’t be used by a worker');
    expect(troubles((await status('-o', 'json')).out)).toMatchObject([{ account: 'main', kind: 'unusable' }]);
    const run = (await harness.ledger.findRun(harness.run))!;
    const facts = await createWatchFacts(harness.ledger)(run, await harness.ledger.counts(run));
    expect(facts.troubles).toMatch(GONE);
  });

  it('is the reason of its rows in results and report, and a note in the Web UI', async () => {
    await untilTroubles((found) => found.length > 0);
    const reason = { state: 'planned', code: 'account-unusable', message: expect.stringMatching(GONE) };
    expect(await harness.results()).toMatchObject([reason, reason]);
    expect((await harness.watch({ budgetMs: 1 })).notes).toEqual([expect.stringMatching(GONE)]);
  });

  it('is named no more once another worker has sent a row of it', async () => {
    await untilTroubles((found) => found.length > 0);
    const { ledger, run } = harness;
    const [channel] = await ledger.channels(run);
    const [row] = await ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
    await ledger.claim({ rowId: row!.id, run, worker: harness.deps.worker.id, now: Date.now() });
    expect(await ledger.accountTroubles(run)).toEqual([]);
  });
});
