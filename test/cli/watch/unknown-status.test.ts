import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { timeLeft } from '../../../cli/watch/progress';
import { createWatchFacts } from '../../../cli/watch/watch-facts';
import { Harness } from '../../activities/harness';
import { CapturedStream } from '../capture';

const before = { ...process.env };
let harness: Harness;

afterEach(async () => {
  process.env = { ...before };
  await harness.close();
});

async function cli(...args: string[]): Promise<{ out: string; err: string }> {
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
  await runCli([...args, '--config', join(harness.folder, 'reelay.config.yaml')], { stdout, stderr });
  return { out: stdout.text, err: stderr.text };
}

/** Follows until the ledger has a row in `processing` with that status. */
async function untilSeen(status: string): Promise<void> {
  for (;;) {
    await harness.follow();
    if ((await harness.ledger.unknownStatuses(harness.run)).some((one) => one.status === status)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it.each(['on_hold', 'PUBLISHED'])(
  'the unknown status %s is named in status, results, report and progress',
  async (status) => {
    harness = await Harness.open({ rows: 2, sandbox: { faults: [`get title="Video 1" -> show-status ${status}`] } });
    await harness.create();
    await untilSeen(status);
    await writeFile(
      join(harness.folder, 'reelay.config.yaml'),
      `accounts: { main: { base_url: "${harness.sandbox.baseUrl}" } }\n`,
    );
    process.env = { ...before, REELAY_HOME: harness.folder, REELAY_API_KEY_MAIN: harness.sandbox.apiKey };

    const named = `1 row shows an unknown status (“${status}”: 1)`;
    expect((await cli('status', 'trial')).err).toContain(named);
    const { rows } = JSON.parse((await cli('results', 'trial', '-o', 'json')).out) as { rows: object[] };
    expect(rows[1]).toMatchObject({
      state: 'processing',
      code: 'unknown-status',
      message: expect.stringContaining(`the unknown status "${status}"`),
    });
    expect((await cli('results', 'trial', '-o', 'html')).out).toContain(`unknown-status: the service shows`);
    const forClient = (await cli('results', 'trial', '-o', 'html', '--for-client')).out;
    expect(forClient).toContain('in progress');
    expect(forClient).not.toMatch(/unknown|trial\.1/u);
    expect(await cli('results', 'trial', '--for-client')).toMatchObject({
      out: '',
      err: expect.stringContaining('Add -o html.'),
    });

    const run = (await harness.ledger.findRun(harness.run))!;
    const facts = await createWatchFacts(harness.ledger)(run, await harness.ledger.counts(run));
    expect(facts.unknown).toEqual({ rows: 1, text: expect.stringContaining(named) });
    // It ends at its own time: the rate of the others says nothing about it.
    const samples = [
      { at: 0, ended: 0 },
      { at: 4_000, ended: 400 },
    ];
    const shown = { at: 4_000, held: null, lastSendAt: null, lost: null };
    expect(timeLeft(samples, { ...shown, left: 1, unknown: null })).toBe(10);
    expect(timeLeft(samples, { ...shown, left: 1, unknown: facts.unknown })).toBeNull();
    // Also of a row with a usual status that takes longer than all others.
    const later = [...samples, { at: 10_000, ended: 400 }];
    expect(timeLeft(later, { ...shown, at: 10_000, left: 1, unknown: null })).toBeNull();
  },
  60_000,
);
