import { writeFile } from 'node:fs/promises';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { type RunningCommand, processesNaming, until, UserMachine } from '../support/cli-process';

// Temporal hands tasks to the frozen process until its polls of a minute have run out.
jest.setTimeout(600_000);

const TIMINGS = JSON.stringify({ pollMs: 200, pollMaxMs: 1_000, silentAfterMs: 6_000, silentUnconfirmedMs: 9_000 });

let machine: UserMachine;
let service: RunningSandbox;
let running: RunningCommand[] = [];

afterEach(async () => {
  for (const { child } of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGCONT');
    child.kill('SIGINT');
  }
  await Promise.all(running.map((command) => command.ended));
  running = [];
  const left = await processesNaming(machine.folder);
  await service.close();
  await machine.remove();
  expect(left).toEqual([]);
});

function start(args: readonly string[]): RunningCommand {
  const command = machine.start(args);
  running.push(command);
  return command;
}

async function status(): Promise<{ counts: Record<string, number>; state: string; notes: string }> {
  const { stdout, stderr } = await machine.here(['status', 'show', '-o', 'json']);
  return { ...(JSON.parse(stdout) as { counts: Record<string, number>; state: string }), notes: stderr };
}

it('a worker that is frozen with a create under way: shown, then unconfirmed; its answer is kept, nothing is sent twice', async () => {
  service = await startSandbox({ apiKey: 'key-of-theirs', faults: ['create -> slow-answer 4000'] });
  machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: 'key-of-theirs',
    REELAY_TIMINGS: TIMINGS,
  });
  const manifest = machine.path('show.csv');
  await writeFile(manifest, 'key,title,video_url,platform\nep-1,Episode 1,https://videos.example/1.mp4,short\n');
  const frozen = start(['run', manifest]);
  await until(() => service.log().length === 1);
  frozen.child.kill('SIGSTOP');

  // The stack runs on without its owner; a second worker takes part.
  const second = start(['worker']);
  await second.says(/polls/u);
  await until(async () => /silent since/u.test((await status()).notes));
  await until(async () => (await status()).counts['unconfirmed'] === 1);
  expect(service.log()).toHaveLength(1);

  frozen.child.kill('SIGCONT');
  await until(async () => (await status()).counts['unconfirmed'] === undefined);
  const late = await status();
  expect(Object.keys(late.counts)).toEqual([expect.stringMatching(/^(processing|published)$/u)]);
  await frozen.ended;
  second.child.kill('SIGINT');
  await second.ended;
  if (late.counts['published'] === undefined) {
    expect((await machine.here(['status', 'show'])).stderr).toContain('late answer');
    const followed = await machine.run(['retry', 'show', '--yes', '--watch', '-o', 'json']);
    expect(JSON.parse(followed.stdout).counts).toEqual({ published: 1 });
  }
  expect(service.log()).toHaveLength(1);
});
