import { type Firing } from '../../../ledger/model/firing-types';
import { Bench, entries, submission } from '../support';

const AT = Date.parse('2026-11-01T05:30:00Z');
const HOUR = 3_600_000;

describe('firings', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const open = (key: string, workflowId: string, change: { nominalAt?: number; again?: boolean } = {}) =>
    bench.ledger.firings.open({ schedule: 'daily', key, workflowId, nominalAt: AT, again: false, ...change });
  const shown = ({ key, outcome }: Firing): string => `${key} ${outcome}`;

  it('happen once a key, whichever of several workflows comes first; the same one gets it again', async () => {
    const opened = await Promise.all(['w1', 'w2', 'w3'].map((id) => open('2026-11-01', id)));
    expect(opened.filter(({ mine }) => mine)).toHaveLength(1);
    const mine = opened.find((one) => one.mine)?.firing;
    expect((await open('2026-11-01', mine?.workflowId ?? '')).mine).toBe(true);
    // Another schedule, and another day, are other firings.
    expect((await open('2026-11-02', 'w4', { nominalAt: AT + 24 * HOUR })).mine).toBe(true);
    const other = { schedule: 'other', key: '2026-11-01', nominalAt: AT, workflowId: 'w5', again: false };
    expect((await bench.ledger.firings.open(other)).mine).toBe(true);
  });

  it.each(['nothing', 'refused', 'failed', 'skipped', 'missed'] as const)(
    'that ended as %s happen again only when a person asks',
    async (outcome) => {
      const { firing } = await open('2026-11-01', 'w1');
      await bench.ledger.firings.end(firing.id, { outcome, reason: 'for a reason' });
      expect((await open('2026-11-01', 'w2')).mine).toBe(false);
      const again = await open('2026-11-01', 'w2', { again: true });
      expect(again).toMatchObject({ mine: true, firing: { id: firing.id, outcome: 'open', reason: null } });
    },
  );

  it.each(['done', 'stopped'] as const)('that ended as %s never happen again', async (outcome) => {
    const { firing } = await open('2026-11-01', 'w1');
    await bench.ledger.firings.end(firing.id, { outcome });
    expect((await open('2026-11-01', 'w2', { again: true })).mine).toBe(false);
  });

  it('are known by their time too, after the schedule was changed to another kind of keys; those asked for now aren’t', async () => {
    const { firing } = await open('2026-11-01', 'w1');
    await bench.ledger.firings.end(firing.id, { outcome: 'done' });
    expect(await open('2026-11-01T05:30:00Z', 'w2', { again: true })).toMatchObject({
      mine: false,
      firing: { id: firing.id },
    });
    expect((await open('manual 2026-11-01T05:30:00Z', 'w3')).mine).toBe(true);
    expect((await open('2026-11-02', 'w4', { nominalAt: AT + HOUR })).mine).toBe(true);
  });

  it('of a repeated hour don’t happen a second time, even when asked for', async () => {
    const { firing } = await open('2026-11-01', 'w1');
    await bench.ledger.firings.end(firing.id, { outcome: 'nothing' });
    expect((await open('2026-11-01', 'w2', { nominalAt: AT + HOUR, again: true })).mine).toBe(false);
  });

  it('that submitted something never happen again, whatever end is recorded', async () => {
    const { firing } = await open('2026-11-01', 'w1');
    const { run } = await bench.ledger.submit({ ...submission(entries('a', 'b')), firing: firing.id });
    // A crash between the submission and its recording in Temporal: asked again, it submits nothing a second time.
    const repeated = await bench.ledger.submit({ ...submission(entries('a', 'b', 'c')), firing: firing.id });
    expect([repeated.run, repeated.repeated]).toEqual([run, true]);
    await bench.ledger.firings.end(firing.id, { outcome: 'failed' });
    expect((await open('2026-11-01', 'w2', { again: true })).mine).toBe(false);
    expect((await bench.ledger.firings.get(firing.id)).run).toEqual(run);
  });

  it('keep their first end', async () => {
    const { firing } = await open('2026-11-01', 'w1');
    await bench.ledger.firings.end(firing.id, { outcome: 'refused', code: 'bad-time', reason: 'line 2' });
    const after = await bench.ledger.firings.end(firing.id, { outcome: 'done' });
    expect(after).toMatchObject({ outcome: 'refused', code: 'bad-time', reason: 'line 2' });
  });

  it('that didn’t happen are noted once, and never over one that did', async () => {
    const { firings } = bench.ledger;
    await open('2026-11-01', 'w1');
    const note = (key: string, nominalAt: number) =>
      ({ key, nominalAt, outcome: 'missed', code: 'late', reason: 'down' }) as const;
    const noted = [note('2026-11-01', AT), note('2026-11-02', AT + 24 * HOUR)];
    expect((await firings.note('daily', noted)).map(({ key }) => key)).toEqual(['2026-11-02']);
    expect(await firings.note('daily', noted)).toEqual([]);
    expect((await firings.list('daily')).map(shown)).toEqual(['2026-11-02 missed', '2026-11-01 open']);
    expect(await firings.missed('daily')).toBe(1);
    expect((await firings.between('daily', AT, AT + 24 * HOUR)).map(shown)).toEqual(['2026-11-02 missed']);
  });

  it('are found by their workflow, by backfills, and by how they ended', async () => {
    const { firings } = bench.ledger;
    const { firing } = await open('2026-11-01', 'w1');
    expect((await firings.ofWorkflow('daily', 'w1'))?.id).toBe(firing.id);
    expect(await firings.ofWorkflow('other', 'w1')).toBeNull();
    await firings.addBackfill({ schedule: 'daily', from: AT, to: AT + HOUR, by: 'us' });
    expect(
      await Promise.all([AT - 1, AT, AT + HOUR, AT + HOUR + 1].map((at) => firings.inBackfill('daily', at))),
    ).toEqual([false, true, true, false]);
    expect(await firings.ended('daily', 5)).toEqual([]);
    await firings.end(firing.id, { outcome: 'refused' });
    expect((await firings.ended('daily', 5)).map(shown)).toEqual(['2026-11-01 refused']);
    expect(await firings.ended('daily', 5, Date.parse(firing.startedAt) + 1)).toEqual([]);
  });

  it('belong to a schedule that is remembered by name until it is deleted', async () => {
    const { firings } = bench.ledger;
    await firings.keep('daily', 'us');
    await firings.mark('daily', { pausedAt: 5, watchedTo: AT });
    await firings.keep('daily', 'them');
    expect(await firings.schedule('daily')).toMatchObject({ by: 'us', pausedAt: 5, resumedAt: null, watchedTo: AT });
    await firings.mark('daily', { pausedAt: null, deletedAt: AT });
    expect([await firings.schedule('daily'), await firings.schedules()]).toEqual([null, []]);
    await firings.keep('daily', 'them');
    expect(await firings.schedule('daily')).toMatchObject({ by: 'them', pausedAt: null });
  });

  it('are written out with the rows', async () => {
    const { firing } = await open('2026-11-01', 'w1');
    const { run } = await bench.ledger.submit({ ...submission(entries('a')), firing: firing.id });
    await bench.ledger.firings.end(firing.id, { outcome: 'done', code: 'run-done', reason: '1 published' });
    const written: object[] = [];
    for await (const one of bench.ledger.exportFirings()) written.push(one);
    expect(written).toMatchObject([
      {
        record: 'firing',
        schedule: 'daily',
        key: '2026-11-01',
        nominal_at: '2026-11-01T05:30:00.000Z',
        outcome: 'done',
        run: `${run.campaign}.${run.number}`,
      },
    ]);
  });
});
