import fc from 'fast-check';
import { type DecideOptions, type ExistingRow, type PlanAction } from '../../../ledger/model/submission-types';
import { decide } from '../../../ledger/model/converge';
import { ROW_STATES, type RowState } from '../../../ledger/model/states';
import { type RowValues } from '../../../ledger/model/types';
import { entry, values } from '../support';

const OPTIONS: DecideOptions = { acceptDifferences: false, repeat: 'refuse', elsewhere: null };

function existing(state: RowState, changes: Partial<ExistingRow> = {}): ExistingRow {
  return { state, code: null, sent: false, run: 'spring.1', values: values('k'), ...changes };
}

type Change = 'same' | 'title' | 'source' | 'skip' | 'resigned' | 'touched';
const CHANGES: Record<Change, [values: Partial<RowValues>, skip: boolean]> = {
  same: [{}, false],
  title: [{ title: 'Another' }, false],
  source: [{ source: 'https://media.example/other.mp4' }, false],
  skip: [{}, true],
  resigned: [{ source: 'https://media.example/k.mp4?X-Amz-Signature=2' }, false],
  touched: [{ fileModifiedMs: 5 }, false],
};

const TABLE: Record<RowState, Record<Change, PlanAction>> = {
  planned: { same: 'continue', title: 'update', source: 'update', skip: 'skip', resigned: 'update', touched: 'update' },
  waiting: { same: 'continue', title: 'update', source: 'update', skip: 'skip', resigned: 'update', touched: 'update' },
  creating: {
    same: 'leave',
    title: 'too-late',
    source: 'too-late',
    skip: 'too-late',
    resigned: 'leave',
    touched: 'leave',
  },
  processing: {
    same: 'leave',
    title: 'too-late',
    source: 'too-late',
    skip: 'too-late',
    resigned: 'leave',
    touched: 'leave',
  },
  published: { same: 'leave', title: 'differs', source: 'refuse', skip: 'leave', resigned: 'leave', touched: 'leave' },
  submitted: { same: 'leave', title: 'differs', source: 'refuse', skip: 'leave', resigned: 'leave', touched: 'leave' },
  drafted: { same: 'leave', title: 'patch', source: 'refuse', skip: 'leave', resigned: 'leave', touched: 'leave' },
  failed: { same: 'leave', title: 'attempt', source: 'attempt', skip: 'leave', resigned: 'attempt', touched: 'leave' },
  rejected: {
    same: 'leave',
    title: 'attempt',
    source: 'attempt',
    skip: 'leave',
    resigned: 'attempt',
    touched: 'leave',
  },
  unconfirmed: { same: 'leave', title: 'leave', source: 'leave', skip: 'leave', resigned: 'leave', touched: 'leave' },
  overdue: { same: 'leave', title: 'leave', source: 'leave', skip: 'leave', resigned: 'leave', touched: 'leave' },
  cancelled: {
    same: 'recreate',
    title: 'recreate',
    source: 'recreate',
    skip: 'leave',
    resigned: 'recreate',
    touched: 'recreate',
  },
};

describe('decide', () => {
  for (const state of ROW_STATES) {
    for (const change of Object.keys(CHANGES) as Change[]) {
      it(`answers ${TABLE[state][change]} to a ${state} row that is ${change}`, () => {
        const [changed, skip] = CHANGES[change];
        expect(decide(existing(state), entry(0, 'k', { values: changed, skip }), OPTIONS).action).toBe(
          TABLE[state][change],
        );
      });
    }
  }

  it('refuses a skipped row whose key names another video than the published one', () => {
    const other = entry(0, 'k', { skip: true, values: { source: 'https://media.example/other.mp4' } });
    expect(decide(existing('published'), other, OPTIONS)).toMatchObject({
      action: 'refuse',
      problem: { code: 'key-reused' },
    });
  });

  it.each([
    ['Gärten – Teil 1', 'GÃ¤rten â€“ Teil 1', true],
    ['Gärten – Teil 1', 'GÃ¤rten â€“ Teil 2', true],
    ['Gärten', 'G√§rten', true],
    ['Gärten – 1', 'G?rten ? 1', true],
    ['Łódź', '?ód?', true],
    ['日本語', '???', true],
    ['Gärten', 'Garten', false],
    ['Gärten', 'Gärten!', false],
    ['Was nun…', 'Was nun?', false],
    ['What now', 'What now?', false],
    ['GÃ¤rten', 'Gärten', false],
    ['GÃ¤rten', 'GÃ¤rten und HÃ¤user', false],
    ['CafÃ', 'Café', false],
  ])('takes %s that became %s for damaged: %s', (before, title, damaged) => {
    const changed = entry(0, 'k', { values: { title } });
    for (const state of ROW_STATES) {
      const accepted = existing(state, { values: values('k', { title: before }) });
      const { action, problem } = decide(accepted, changed, OPTIONS);
      expect([problem?.code === 'garbled-text', problem?.severity === 'error' && action === 'refuse']).toEqual([
        damaged,
        damaged,
      ]);
      const allowed = decide(accepted, changed, { ...OPTIONS, acceptDifferences: true });
      expect(allowed.problem?.code).not.toBe('garbled-text');
    }
  });

  it('creates a new row, unless the manifest skips it or its source went out elsewhere', () => {
    expect(decide(null, entry(0, 'k'), OPTIONS)).toEqual({ action: 'create' });
    expect(decide(null, entry(0, 'k', { skip: true }), OPTIONS)).toEqual({ action: 'skip' });
    const elsewhere = { ...OPTIONS, elsewhere: 'campaign winter, row 4' };
    expect(decide(null, entry(0, 'k'), elsewhere).problem?.code).toBe('source-repeated');
    const hint = (format: 'csv' | 'yaml') => decide(null, entry(0, 'k'), { ...elsewhere, format }).problem?.hint;
    expect([hint('yaml'), hint('csv')]).toEqual([
      expect.stringContaining('with repeat: allow'),
      expect.stringContaining('with --repeat allow'),
    ]);
    expect(decide(null, entry(0, 'k'), { ...elsewhere, repeat: 'allow' })).toEqual({ action: 'create' });
  });

  it('says what is wrong, where, and how to go on', () => {
    const reused = decide(existing('published'), entry(3, 'k', { values: { source: '/videos/b.mp4' } }), OPTIONS);
    expect(reused.problem).toMatchObject({ severity: 'error', code: 'key-reused', line: 5, key: 'k' });
    expect(decide(existing('published'), entry(3, 'k', { values: { title: 'x' } }), OPTIONS).problem?.code).toBe(
      'differs',
    );
    const accepted = { ...OPTIONS, acceptDifferences: true };
    expect(decide(existing('published'), entry(3, 'k', { values: { title: 'x' } }), accepted).problem).toBeUndefined();
    expect(decide(existing('unconfirmed'), entry(3, 'k'), OPTIONS).problem?.code).toBe('unsettled');
  });

  it('changes a draft in what the interface lets be changed, and says what it does not', () => {
    const draft = existing('drafted', { values: values('k', { status: 'draft', title: 'A', privacy: 'private' }) });
    const to = (changes: Partial<RowValues>, options: Partial<DecideOptions> = {}) =>
      decide(draft, entry(0, 'k', { values: { status: 'draft', title: 'A', privacy: 'private', ...changes } }), {
        ...OPTIONS,
        ...options,
      });
    expect(to({ title: 'B', status: 'pending' })).toEqual({
      action: 'patch',
      changes: [
        { field: 'title', from: 'A', to: 'B' },
        { field: 'status', from: 'draft', to: 'pending' },
      ],
    });
    expect(to({ status: 'published' }).problem?.code).toBe('draft-cannot-be-published');
    expect(to({ status: 'published' }, { recreate: true })).toEqual({ action: 'recreate' });
    expect(to({ source: '/b.mp4' }).problem?.code).toBe('draft-fixed');
    expect(to({ source: '/b.mp4' }, { recreate: true })).toEqual({ action: 'recreate' });
    expect(to({ source: '/b.mp4', title: 'B' }, { acceptDifferences: true }).changes).toHaveLength(1);
    expect(to({ title: null })).toMatchObject({ action: 'differs', problem: { code: 'differs' } });
    expect(to({ title: null, privacy: 'public' })).toMatchObject({ action: 'patch', problem: { code: 'differs' } });
  });

  it('refuses pending for a row that is no draft yet, since nothing is created as pending', () => {
    const pending = entry(0, 'k', { values: { status: 'pending' } });
    const refused = { action: 'refuse', problem: { code: 'pending-needs-draft', severity: 'error' } };
    for (const row of [null, existing('planned'), existing('failed'), existing('cancelled')])
      expect(decide(row, pending, OPTIONS)).toMatchObject(refused);
  });

  it('leaves a cancelled row alone that may have been sent, or whose missed time is unchanged', () => {
    expect(decide(existing('cancelled', { sent: true }), entry(0, 'k'), OPTIONS).action).toBe('leave');
    expect(decide(existing('cancelled', { code: 'late' }), entry(0, 'k'), OPTIONS).action).toBe('leave');
    const moved = entry(0, 'k', { values: { publishAt: '2026-04-01T10:00:00.000Z' } });
    expect(decide(existing('cancelled', { code: 'late' }), moved, OPTIONS).action).toBe('recreate');
  });

  it('never sends a row again that is live, may be live or is being sent', () => {
    const anyValues = fc.record({
      title: fc.option(fc.string()),
      description: fc.option(fc.string()),
      source: fc.constantFrom('https://media.example/k.mp4', '/a.mp4', 'https://media.example/k.mp4?sig=1', null),
      publishAt: fc.constantFrom(null, '2026-04-01T10:00:00.000Z'),
      fileSize: fc.nat(),
    });
    const out: RowState[] = ['creating', 'processing', 'published', 'submitted', 'drafted', 'unconfirmed', 'overdue'];
    const sends: PlanAction[] = ['create', 'update', 'continue', 'attempt', 'recreate'];
    fc.assert(
      fc.property(
        fc.constantFrom(...out),
        anyValues,
        anyValues,
        fc.boolean(),
        (state, before, after, acceptDifferences) => {
          const row = existing(state, { values: values('k', before) });
          const { action } = decide(row, entry(0, 'k', { values: after }), { ...OPTIONS, acceptDifferences });
          expect(sends).not.toContain(action);
        },
      ),
    );
  });
});
