import { readFile, rm, writeFile } from 'node:fs/promises';
import { writeCampaign } from '../support/manifests';
import { BY_HAND, HALF_A_DAY_AWAY, ScheduleMachine } from '../support/schedule-machine';

jest.setTimeout(600_000);

const machine = ScheduleMachine.forTests();

async function campaign(name: string, rows: number): Promise<string> {
  const path = machine.path(`${name}.csv`);
  const title = (index: number): string => `${name} ${index}`;
  await writeCampaign(path, rows, { host: `${name}.example`, profiles: ['Garden'], title });
  return path;
}

const IN_NEW_YORK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  ...{ weekday: 'long', day: 'numeric', hour: 'numeric', minute: 'numeric', hourCycle: 'h23' },
});

const outcomes = (firings: readonly { key: string; outcome: string }[]): Record<string, string> =>
  Object.fromEntries(firings.map(({ key, outcome }) => [key, outcome]));

describe('a schedule', () => {
  it('shows its next ten firings as the server does them, in its zone and UTC, and makes nothing when only asked', async () => {
    const path = await campaign('asked', 1);
    const args = ['asked', path, '--cron', '30 1 13 * 5', '--timezone', 'America/New_York'];
    const { code, answer } = await machine.schedule('create', ...args, '--dry-run');
    expect([code, answer.did, answer.next.length]).toEqual([0, 'nothing', 10]);
    // A Friday the thirteenth, both.
    for (const { local, utc } of answer.next) {
      expect(local).toMatch(/^Fri 13 \w{3,4} \d{4} 01:30$/u);
      expect(IN_NEW_YORK.format(new Date(String(utc)))).toBe('13 Friday, 01:30');
    }
    expect(String(answer.warnings)).toContain('only on days that match both');
    expect((await machine.schedule('list')).answer.schedules).toEqual([]);
  });

  it('shows the times of an interval in the schedule’s zone too', async () => {
    const path = await campaign('tokyo', 1);
    // At midnight in UTC.
    await machine.schedule('create', 'tokyo', path, ...BY_HAND, '--timezone', 'Asia/Tokyo');
    const { stderr } = await machine.machine.here(['schedule', 'show', 'tokyo']);
    expect(stderr).toMatch(/timezone +Asia\/Tokyo\n/);
    expect(stderr).toMatch(/next +\w{3} \d+ \w+(?: \d{4})? 09:00[ \n]/);
    await machine.schedule('delete', 'tokyo', '--yes');
  });

  it('is not needed for rows with their own times; submit says what has to keep running until then', async () => {
    const path = machine.path('later.csv');
    const at = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await writeFile(path, `source,platform,title,publish_at\nhttps://later.example/1.mp4,short,Later,${at}\n`);
    const { code, stderr } = await machine.machine.here(['submit', path, '--no-probe']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/last row: .*This computer has to stay on and awake/)]);
    expect((await machine.machine.here(['cancel', 'later', '--yes'])).code).toBe(0);
  });

  it('refuses what can’t be meant, with the way out', async () => {
    const path = await campaign('refusals', 1);
    for (const [args, words] of [
      [['--cron', '0 9 * * *'], /no time zone/],
      [['--cron', '0 0 9 * * 1', '--timezone', 'UTC'], /6 fields.*seconds/],
      [['--cron', '0 9 L * *', '--timezone', 'UTC'], /“L”/],
      [['--cron', '0 9 * * *', '--timezone', 'Mars/Phobos'], /zone/i],
      [['--cron', '0 9 * * *', '--every', '1h', '--timezone', 'UTC'], /more than one of/],
      [['--at', '25:00', '--timezone', 'UTC'], /isn’t a time/],
    ] as const) {
      const { code, answer } = await machine.schedule('create', 'refusals', path, ...args);
      expect([code, answer.error.message]).toEqual([2, expect.stringMatching(words)]);
    }
  });

  it('a backfill across clock changes gives one run for each nominal day, and reports the day without one', async () => {
    const zones = [
      { name: 'york', zone: 'America/New_York', at: '01:30', from: '2026-10-31', to: '2026-11-02' },
      { name: 'paris', zone: 'Europe/Paris', at: '02:30', from: '2026-03-28', to: '2026-03-30' },
      { name: 'sydney', zone: 'Australia/Sydney', at: '02:30', from: '2026-04-04', to: '2026-04-06' },
    ];
    const seen = await Promise.all(
      zones.map(async ({ name, zone, at, from, to }) => {
        const path = await campaign(name, 5);
        await machine.schedule('create', name, path, '--at', at, '--timezone', zone, '--take', '1');
        await machine.schedule('backfill', name, '--from', from, '--to', to, '--yes');
        const days = name === 'paris' ? 2 : 3;
        await machine.untilFirings(
          name,
          (firings) => firings.filter(({ outcome }) => outcome === 'done').length >= days,
        );
        // The second of a pair comes last.
        return machine.untilFirings(
          name,
          (firings) => name !== 'york' || firings.some(({ key }) => key.includes('again')),
        );
      }),
    );
    const [york = [], paris = [], sydney = []] = seen;
    expect(outcomes(york)).toEqual({
      '2026-10-31': 'done',
      '2026-11-01': 'done',
      '2026-11-01 again 2026-11-01T06:30:00Z': 'skipped',
      '2026-11-02': 'done',
    });
    expect(outcomes(paris)).toEqual({ '2026-03-28': 'done', '2026-03-29': 'missed', '2026-03-30': 'done' });
    expect(paris.find(({ key }) => key === '2026-03-29')?.reason).toContain('does not exist in Europe/Paris');
    expect(outcomes(sydney)).toEqual({ '2026-04-04': 'done', '2026-04-05': 'done', '2026-04-06': 'done' });
    expect(machine.accepted('york')).toEqual(['york 0', 'york 1', 'york 2']);
    expect(machine.accepted('paris')).toEqual(['paris 0', 'paris 1']);
    expect(machine.accepted('sydney')).toEqual(['sydney 0', 'sydney 1', 'sydney 2']);
    // Again over the same days: everything has fired.
    await machine.schedule('backfill', 'sydney', '--from', '2026-04-06', '--to', '2026-04-07', '--yes');
    await machine.untilFirings('sydney', ([one]) => one?.key === '2026-04-07' && one.outcome === 'done');
    expect(machine.accepted('sydney')).toEqual(['sydney 0', 'sydney 1', 'sydney 2', 'sydney 3']);
    // Its last time is listed in the same form as the next one.
    const { schedules } = (await machine.schedule('list')).answer as {
      schedules: { schedule: string; last: object }[];
    };
    const last = { key: '2026-04-07', local: expect.stringMatching(/^Tue 7 Apr(?: 2026)? 02:30$/u) };
    expect(schedules.find(({ schedule }) => schedule === 'sydney')).toMatchObject({ last });
  });

  it('reads the manifest at each firing: refused when broken or gone, paused after too many, and on again when it is back', async () => {
    const path = await campaign('edited', 2);
    const good = await readFile(path, 'utf8');
    const pausing = ['--pause-after', '2'];
    await machine.schedule('create', 'edited', path, '--at', HALF_A_DAY_AWAY, '--timezone', 'UTC', ...pausing);
    await writeFile(path, good.replaceAll('short', 'no-such-platform'));
    await machine.schedule('trigger', 'edited');
    const [broken] = await machine.untilFirings('edited', ([one]) => one?.outcome === 'refused');
    expect(broken?.reason).toMatch(/nothing was sent: line 2: /);
    await rm(path);
    await machine.schedule('trigger', 'edited');
    await machine.untilFirings(
      'edited',
      (firings) => firings.filter(({ outcome }) => outcome === 'refused').length === 2,
    );
    const shown = await machine.untilListed('edited', ({ state }) => state === 'paused');
    expect(shown.note).toMatch(/2 consecutive firings.*isn’t there/);
    await writeFile(path, good);
    expect((await machine.schedule('unpause', 'edited')).code).toBe(0);
    await machine.schedule('trigger', 'edited');
    const [last] = await machine.untilFirings('edited', ([one]) => one?.outcome === 'done');
    expect([last?.run?.number, machine.accepted('edited')]).toEqual([1, ['edited 0', 'edited 1']]);
    await machine.schedule('trigger', 'edited');
    await machine.untilFirings('edited', ([one]) => one?.outcome === 'nothing');
  });

  it('two of them on one campaign, and a submit by hand, send each row once', async () => {
    const path = await campaign('shared', 9);
    for (const name of ['one', 'two'])
      await machine.schedule('create', name, path, ...BY_HAND, '--campaign', 'shared', '--take', '3');
    await Promise.all([
      machine.schedule('trigger', 'one'),
      machine.schedule('trigger', 'two'),
      machine.machine.here(['submit', path, '--limit', '3']),
    ]);
    for (const name of ['one', 'two']) await machine.untilFirings(name, ([one]) => one?.outcome === 'done');
    await machine.machine.run(['watch', 'shared']);
    const sent = machine.accepted('shared');
    expect(new Set(sent).size).toBe(sent.length);
  });

  it('takes its rows though a trial by hand has just taken as many of the same manifest', async () => {
    const path = await campaign('tried', 6);
    await machine.schedule('create', 'tried', path, ...BY_HAND, '--take', '3');
    await machine.machine.here(['submit', path, '--limit', '3', '--watch']);
    await machine.schedule('trigger', 'tried');
    const [firing] = await machine.untilFirings('tried', ([one]) => one !== undefined && one.outcome !== 'open');
    expect([firing?.outcome, machine.accepted('tried').length]).toEqual(['done', 6]);
  });

  it('is updated, paused and deleted; what changed is shown', async () => {
    const path = await campaign('changed', 1);
    await machine.schedule('create', 'changed', path, '--every', '2h', '--paused');
    expect((await machine.schedule('create', 'changed', path, '--every', '2h')).answer.error.code).toBe(
      'schedule-exists',
    );
    const { answer } = await machine.schedule(
      'update',
      'changed',
      '--at',
      'mon-fri 09:00',
      '--timezone',
      'Europe/Berlin',
    );
    expect(answer.changes).toEqual([
      { what: 'when', before: 'every 2h', after: 'at mon-fri 09:00' },
      { what: 'timezone', before: 'UTC', after: 'Europe/Berlin' },
    ]);
    expect((await machine.schedule('update', 'changed')).answer.did).toBe('nothing');
    const listed = await machine.untilListed('changed', ({ state }) => state === 'paused');
    expect(listed).toMatchObject({ when: 'at mon-fri 09:00 Europe/Berlin', next: null, missed: 0 });
    const shown = await machine.machine.run(['schedule', 'show', 'changed']);
    expect(shown.stderr.match(/^ {2}skipped {6}\w{3} \d{1,2} \w{3}/gmu)).toHaveLength(1);
    expect(shown.stderr.match(/^ {15}\w{3} \d{1,2} \w{3}/gmu)).toHaveLength(9);
    expect(shown.stderr).toContain('skipped while it is paused');
    expect(shown.stderr).toContain('all (as the manifest says)');
    const triggered = await machine.machine.run(['schedule', 'trigger', 'changed']);
    expect(triggered.stderr).toContain('It is paused: this firing runs anyway');
    await machine.untilFirings('changed', ([one]) => one?.outcome === 'done');
    expect((await machine.schedule('delete', 'changed')).code).toBe(2);
    expect((await machine.schedule('delete', 'changed', '--yes')).code).toBe(0);
    expect((await machine.schedule('show', 'changed')).answer.error.code).toBe('no-schedule');
  });
});
