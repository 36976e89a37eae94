import { type LedgerLocation } from '../../../ledger/model/location';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

interface Said {
  claimed?: number;
  at?: number;
  open?: number;
  recorded?: number;
  imported?: number;
  submitted?: string;
}

interface Child {
  process: ChildProcess;
  said: Said[];
  ended: Promise<number | null>;
}

const children: ChildProcess[] = [];

function start(
  mode: string,
  location: LedgerLocation,
  id: string,
  options: { campaign?: string; onLine?: (said: Said, child: ChildProcess) => void } = {},
): Child {
  const { campaign = 'spring', onLine } = options;
  const process_ = spawn(
    process.execPath,
    [
      '-r',
      join(__dirname, '..', '..', 'support', 'register.js'),
      join(__dirname, '..', 'child.ts'),
      mode,
      JSON.stringify(location),
      id,
      campaign,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(process_);
  const said: Said[] = [];
  createInterface({ input: process_.stdout }).on('line', (line) => {
    const what = JSON.parse(line) as Said;
    said.push(what);
    onLine?.(what, process_);
  });
  return { process: process_, said, ended: once(process_, 'close').then(([code]) => code as number | null) };
}

describe('several processes on one ledger', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open({ now: Date.now })));
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await bench.close();
  });

  const rows = (count: number) => Array.from({ length: count }, (_, at) => entry(at, `k${at}`));

  it.each([
    ['of one campaign', ['spring']],
    ['of two campaigns', ['spring', 'autumn']],
  ])(
    'keep to a channel’s caps together with rows %s: no window is exceeded, and none is lost',
    async (_, campaigns) => {
      const caps = [
        { count: 6, windowMs: 400 },
        { count: 10, windowMs: 900 },
      ];
      const each = 40 / campaigns.length;
      const runs: RunRef[] = [];
      for (const campaign of campaigns) {
        const own = Array.from({ length: each }, (_, at) => entry(at, `${campaign}-${at}`));
        runs.push(await bench.begin(submission(own, { campaign, settings: { pace: [{ maxPer: caps }] } })));
      }
      const began = Date.now();
      const two = ['a', 'b'].map((id, at) =>
        start('work', bench.location, id, { campaign: campaigns[at] ?? 'spring' }),
      );
      expect(await Promise.all(two.map((child) => child.ended))).toEqual([0, 0]);
      // The slots: a process that has sent alone so far claims a moment ahead of them, and holds its requests back.
      const times: number[] = [];
      for await (const row of bench.ledger.exportRows()) {
        for (const { claimed_at: slot } of (row as { attempts: { claimed_at: string }[] }).attempts)
          times.push(Date.parse(slot));
      }
      times.sort((a, b) => a - b);
      expect(times).toHaveLength(40);
      for (const { count, windowMs } of caps) {
        for (let at = count; at < times.length; at += 1) {
          expect(times[at]! - times[at - count]!).toBeGreaterThanOrEqual(windowMs);
        }
      }
      // Three full windows of the tighter cap pass before the last slot, which a process alone may claim 1 s ahead.
      expect(Date.now() - began).toBeGreaterThanOrEqual(3 * 900 - 1_000);
      for (const run of runs) expect(await bench.ledger.counts(run)).toEqual({ processing: each });
    },
  );

  it('never claim a row twice, and never hold more creates open than the channel allows', async () => {
    const run = await bench.begin(submission(rows(120), { settings: { channelConcurrency: 2 } }));
    const two = [start('work', bench.location, 'a'), start('work', bench.location, 'b')];
    expect(await Promise.all(two.map((child) => child.ended))).toEqual([0, 0]);
    const said = two.flatMap((child) => child.said);
    const claimed = said.flatMap((what) => what.claimed ?? []);
    expect(claimed).toHaveLength(120);
    expect(new Set(claimed).size).toBe(120);
    expect(Math.max(...said.map((what) => what.open ?? 0))).toBeLessThanOrEqual(2);
    expect(await bench.ledger.counts(run)).toEqual({ processing: 120 });
  });

  it('leave every row in one recorded state when they are killed at any instruction', async () => {
    const run = await bench.begin(
      submission(rows(200), { settings: { channelConcurrency: 200, accountConcurrency: 200 } }),
    );
    let recorded = 0;
    for (const [round, killAt] of [5, 17, 40].entries()) {
      let seen = 0;
      const onLine = (_: Said, process_: ChildProcess): void => {
        seen += 1;
        if (seen === killAt) process_.kill('SIGKILL');
      };
      const child = start('work', bench.location, `w${round}`, { onLine });
      await child.ended;
      recorded += child.said.filter((what) => what.recorded !== undefined).length;
      const counts = await bench.ledger.counts(run);
      const open = await bench.ledger.unsettled(run);
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(200);
      expect(open).toHaveLength(counts.creating ?? 0);
      expect(counts.processing ?? 0).toBeGreaterThanOrEqual(recorded);
    }
    for (const attempt of await bench.ledger.unsettled(run)) {
      expect((await bench.claim(run, attempt.rowId)).claimed).toBe(false);
      await bench.ledger.endDeadAttempt(attempt.rowId, attempt.attempt);
    }
    expect((await bench.ledger.unsettled(run)).every((attempt) => attempt.code === 'worker-died')).toBe(true);
  });

  it('go on with an import that was killed between its pages, and change nothing when it is repeated', async () => {
    await bench.ledger.submit(submission(rows(2600)));
    const run = await bench.ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'x' });
    const onLine = (what: Said, process_: ChildProcess): void => {
      if ((what.imported ?? 0) >= 500) process_.kill('SIGKILL');
    };
    const child = start('import', bench.location, 'a', { onLine });
    await child.ended;
    await bench.ledger.importSubmissions(run!);
    expect(await bench.ledger.openRows(run!)).toBe(2600);
    expect(await bench.ledger.importSubmissions(run!)).toEqual({ imported: 0 });
    expect(await bench.ledger.counts(run!)).toEqual({ planned: 2600 });
  });

  it('lose no submission when one submits while another finishes the run', async () => {
    const two = [start('race', bench.location, 'a'), start('race', bench.location, 'b')];
    expect(await Promise.all(two.map((child) => child.ended))).toEqual([0, 0]);
    const submitted = two.flatMap((child) => child.said.flatMap((what) => what.submitted ?? []));
    // What no process imported any more waits in the open run: nothing may be gone.
    const last = await bench.ledger.newestRun('race');
    if (last?.open === true) await bench.ledger.importSubmissions(last);
    const known: string[] = [];
    for (const run of await bench.ledger.listRuns({ campaign: 'race', limit: 100 })) {
      for await (const record of bench.ledger.results(run)) if (record.run !== null) known.push(record.key);
    }
    const plan = await bench.ledger.plan(submission(entries(...submitted), { campaign: 'race' }));
    expect(submitted).toHaveLength(30);
    expect(plan.actions.create ?? 0).toBe(0);
    expect(known.length).toBeGreaterThan(0);
  });
});
