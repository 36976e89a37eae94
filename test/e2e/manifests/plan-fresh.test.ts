import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { processesNaming, UserMachine } from '../support/cli-process';

jest.setTimeout(300_000);

let machine: UserMachine;
beforeEach(async () => {
  machine = await UserMachine.create();
  await writeFile(
    machine.path('spring.csv'),
    'file,platform,title,profile\nhttps://videos.example/b.mp4,short,Season opener,Garden\n',
  );
});
afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await machine.remove();
  expect(left).toEqual([]);
});

test('without a running sandbox, a manifest is planned against the profiles of the one that a run starts', async () => {
  const plan = await machine.run(['plan', 'spring.csv', '--sandbox']);
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('Garden · short\t1')]);
  await writeFile(
    machine.path('wrong.csv'),
    'file,platform,title,profile\nhttps://videos.example/b.mp4,short,Season opener,Gardn\n',
  );
  const wrong = await machine.run(['plan', 'wrong.csv', '--sandbox']);
  expect([wrong.code, wrong.stdout + wrong.stderr]).toEqual([3, expect.stringContaining('profile-unknown')]);
  const profiles = await machine.run(['profiles', '--sandbox']);
  expect([profiles.code, profiles.stdout]).toEqual([0, expect.stringContaining('Garden')]);
  // Nothing is kept of it.
  expect(existsSync(machine.home)).toBe(false);
});

test('without a running sandbox, a schedule is previewed by a Temporal of its own, which ends with the command', async () => {
  const schedule = ['schedule', 'create', 'daily', 'spring.csv', '--at', '09:00', '--timezone', 'UTC', '--sandbox'];
  const preview = await machine.run([...schedule, '--dry-run']);
  expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining('T09:00:00')]);
  const kept = await machine.run(schedule);
  expect([kept.code, kept.stderr]).toEqual([7, expect.stringContaining('reelay up --sandbox')]);
});
