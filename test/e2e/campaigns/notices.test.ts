import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Hook } from '../../support/hook';
import { jsonLines } from '../../support/json-lines';
import { until } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';
import { BY_HAND, ScheduleMachine } from '../support/schedule-machine';

jest.setTimeout(600_000);

let hook: Hook;

/** Fails the first time, then writes what it got. */
const SCRIPT = `
const fs = require('fs');
const text = fs.readFileSync(0, 'utf8');
if (!fs.existsSync('tried')) { fs.writeFileSync('tried', ''); console.error('not yet'); process.exit(3); }
fs.appendFileSync('notices.jsonl', text);
`;

const machine = ScheduleMachine.forTests(async (path) => {
  hook = await Hook.start([503, 503]);
  await writeFile(path('notice.js'), SCRIPT);
  const config = `notify:\n  command: [${process.execPath}, notice.js]\n  url: ${hook.url('/hook?token=secret')}\n`;
  await writeFile(path('reelay.config.yaml'), config);
});
afterAll(() => hook.stop());

const commanded = async (): Promise<Record<string, unknown>[]> => {
  const path = machine.path('notices.jsonl');
  if (!existsSync(path)) return [];
  return jsonLines(await readFile(path, 'utf8'));
};

it('notices of a run’s end and a refused firing arrive in spite of initial failures, and fail nothing themselves', async () => {
  const path = machine.path('told.csv');
  await writeCampaign(path, 2, { profiles: ['Garden'], title: (index) => `told ${index}` });
  expect((await machine.machine.here(['submit', path, '--watch'])).code).toBe(0);
  await until(async () => hook.got.some(({ answered }) => answered === 200) && (await commanded()).length === 1);
  expect(hook.got.map(({ answered, id }) => [answered, id])).toEqual([
    [503, 'told.1/ended'],
    [503, 'told.1/ended'],
    [200, 'told.1/ended'],
  ]);
  const [told] = await commanded();
  expect(told).toEqual(JSON.parse(hook.got[2]?.body ?? ''));
  expect(told).toMatchObject({ notice: 'run-ended', run: 'told.1', ok: true, counts: { published: 2 } });
  expect(JSON.stringify(told)).not.toMatch(/secret|their-key/);

  await machine.schedule('create', 'told', path, ...BY_HAND);
  await writeFile(path, 'title\nNo source\n');
  await machine.schedule('trigger', 'told');
  await until(async () => hook.got.length === 4 && (await commanded()).length === 2);
  expect((await commanded())[1]).toMatchObject({
    notice: 'refused',
    schedule: 'told',
    reason: expect.stringContaining('nothing was sent'),
  });
});

it('one that was on its way when everything was killed is sent again soon after; a redirect is not followed', async () => {
  hook.next(0, 302);
  const path = machine.path('again.csv');
  await writeCampaign(path, 1, { host: 'again.example', profiles: ['Garden'], title: () => 'again' });
  expect((await machine.machine.here(['submit', path])).code).toBe(0);
  const got = () => hook.got.flatMap(({ id, answered }) => (id === 'again.1/ended' ? [answered] : []));
  await until(() => got().length === 1);
  await machine.powerCut();
  await machine.upAgain();
  await until(() => got().includes(200));
  expect(got()).toEqual([0, 302, 200]);
  expect(machine.accepted('again')).toEqual(['again']);
});
