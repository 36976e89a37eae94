import { setTimeout as sleep } from 'node:timers/promises';
import { holdCreates } from '../support/hold-creates';
import { writeCampaign } from '../support/manifests';
import { ScheduleMachine } from '../support/schedule-machine';

jest.setTimeout(600_000);

const machine = ScheduleMachine.forTests();

const done = (firings: readonly { outcome: string }[]): number =>
  firings.filter(({ outcome }) => outcome === 'done').length;

it('a drip publishes its rows in order, two a firing, each once, with everything killed between; what was missed is named', async () => {
  const path = machine.path('drip.csv');
  const titles = await writeCampaign(path, 6, { profiles: ['Garden'], title: (index) => `drip ${index}` });
  // The last firing that has rows ends after the power cut, however slow the machine is.
  const release = holdCreates(machine.service, titles.slice(4));
  const made = await machine.schedule('create', 'drip', path, '--every', '5s', '--take', '2', '--catch-up', '2s');
  expect([made.code, made.answer.settings['catch-up']]).toEqual([0, '2 s']);
  await machine.untilFirings('drip', (firings) => done(firings) >= 1);
  await machine.powerCut();
  release();
  const cut = Date.now();
  // Several firings of a schedule that fires every 5 s.
  await sleep(13_000);
  const back = Date.now();
  await machine.upAgain();
  const firings = await machine.untilFirings('drip', (found) => done(found) === 3 && found[0]?.outcome === 'nothing');
  expect(machine.accepted('drip')).toEqual(titles);
  // What fell into the downtime is named, each with its reason. The newest of it may still have fired.
  const lost = firings.filter(({ nominalAt }) => Date.parse(nominalAt) > cut && Date.parse(nominalAt) < back);
  expect(lost.length).toBeGreaterThanOrEqual(2);
  for (const { outcome, code, reason } of lost.slice(1)) {
    expect([
      ['missed', 'late'],
      ['skipped', 'running'],
    ]).toContainEqual([outcome, code]);
    expect(reason).toMatch(/within 2 s of its time|still under way/u);
  }
  // Every time from the first to the last firing is accounted for, once.
  const times = firings.map(({ nominalAt }) => Date.parse(nominalAt));
  for (const [index, at] of times.slice(1).entries()) expect((times[index] ?? 0) - at).toBe(5_000);
  const { answer } = await machine.schedule('show', 'drip', '--limit', '1000');
  expect(answer.firings.length).toBeGreaterThanOrEqual(firings.length);
});
