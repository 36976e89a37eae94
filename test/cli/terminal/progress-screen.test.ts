import stringWidth from 'string-width';
import { ProgressView } from '../../../cli/watch/progress';
import { Output } from '../../../cli/terminal/output';
import { type Counts } from '../../../ledger/model/types';

const NONE = { rows: [], total: 0 };

/** A terminal as far as a live view needs one: text, line breaks, cursor up, erasing; it wraps what is too long. */
class Screen {
  lines: string[] = [''];
  row = 0;
  readonly isTTY = true;
  constructor(public columns: number) {}
  on(): this {
    return this;
  }
  write(text: string, done?: () => void): boolean {
    for (const [, code, kind, other] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|([^\u001b])/g)) {
      if (kind === 'A') this.row -= Number(code);
      else if (kind === 'J') this.lines.splice(this.row, Infinity, '');
      else if (other === '\r') this.fresh = true;
      else if (other === '\n') this.next();
      else if (other !== undefined) this.put(other);
      expect(this.row).toBeGreaterThanOrEqual(0);
    }
    done?.();
    return true;
  }
  /** As terminals do: lines that no longer fit take more rows, and the cursor stays below them. */
  resize(columns: number): void {
    this.columns = columns;
    const wrapped = this.lines.flatMap((line) => line.match(new RegExp(`.{1,${String(columns)}}`, 'gu')) ?? ['']);
    this.row += wrapped.length - this.lines.length;
    this.lines = wrapped;
  }
  get shown(): string[] {
    return this.lines.filter((line) => line !== '');
  }
  private fresh = false;
  private next(): void {
    this.row += 1;
    this.lines[this.row] ??= '';
    this.fresh = true;
  }
  private put(character: string): void {
    if (this.fresh) this.lines[this.row] = '';
    this.fresh = false;
    if (stringWidth(this.lines[this.row] ?? '') >= this.columns) {
      this.next();
      this.fresh = false;
    }
    this.lines[this.row] = (this.lines[this.row] ?? '') + character;
  }
}

const counts: Counts = { published: 412, failed: 3, processing: 16, waiting: 120, planned: 49 };
const held = 'Garden · long: next 2020-03-02T14:20:00.000Z, cap 15 per 24h reached';
const heldShown = 'Garden · long: next Mon 2 Mar 2020 15:20, cap 15 per 24h reached';

function viewOn(screen: Screen, noColor = true): ProgressView {
  const output = new Output({ stdout: screen, stderr: screen, format: 'text', environment: { noColor, dumb: false } });
  output.zone = 'Europe/Berlin';
  return new ProgressView(output, { sandbox: false });
}
const show = (view: ProgressView, at = 0): void =>
  view.show({
    run: 'spring.3',
    counts,
    at,
    held,
    left: 185,
    lastSendAt: null,
    problems: [],
    persons: NONE,
    silent: null,
    lost: null,
    unknown: null,
    trial: null,
  });

describe('the live view', () => {
  test('of 80 columns has one line of counts', () => {
    const screen = new Screen(80);
    show(viewOn(screen));
    expect(screen.shown).toEqual([
      'spring.3  ████████████████░░░░░░░░  415/600',
      '  412 published · 16 processing · 120 waiting · 49 planned · 3 failed',
      `  ${heldShown}`,
    ]);
  });

  test('of 40 columns cuts nothing', () => {
    const screen = new Screen(40);
    show(viewOn(screen));
    for (const line of screen.shown) expect(stringWidth(line)).toBeLessThan(40);
    const text = screen.shown.map((line) => line.trim()).join(' ');
    for (const words of ['415/600', '412 published', '49 planned', '3 failed', 'cap 15 per 24h reached'])
      expect(text).toContain(words);
    expect(text).not.toContain('…');
  });

  test('shows the newest rows that went wrong, a worker that fell silent, and the time that pace leaves, cut at no width', () => {
    const row = {
      ...{ line: 7, file: null, key: 'ep-7', label: 'row 7 · Episode 7 → long', channel: 'Garden · long' },
      ...{ state: 'failed' as const, earlier_run: null, code: 'service-failed', message: 'no reason' },
    };
    const text = '1 row: answer lost, looking for it until 2020-03-02T14:32:00Z at the latest';
    const lost = { rows: 1, text, short: '1 row: answer lost', ids: [1] };
    for (const columns of [80, 40]) {
      const screen = new Screen(columns);
      const facts = {
        left: 185,
        lastSendAt: 7_200_000,
        problems: [row],
        persons: NONE,
        silent: 'worker silent since noon',
        lost,
        unknown: null,
        trial: null,
      };
      const unknown = { rows: 2, text: '2 rows show an unknown status (“on_hold”: 2)' };
      viewOn(screen).show({ run: 'spring.3', counts, at: 0, held, ...facts, silent: null, unknown });
      const text = screen.shown.map((line) => line.trim()).join(' ');
      expect(text).toContain('about 2 h left');
      expect(text).toContain('failed: row 7 · Episode 7 → long, key ep-7');
      expect(text).toContain('looking for it until Mon 2 Mar 2020 15:32 at the latest');
      expect(text).toContain(unknown.text);
      const quiet = new Screen(columns);
      viewOn(quiet).show({ run: 'spring.3', counts, at: 0, held, ...facts });
      // Nothing continues while no worker reports in: then no time is promised.
      expect(quiet.shown.join(' ')).toMatch(/worker silent since noon/);
      expect(quiet.shown.join(' ')).not.toContain('left');
      for (const line of [...screen.shown, ...quiet.shown]) expect(stringWidth(line)).toBeLessThan(columns);
    }
  });

  test('of a trial counts its own rows, and says how many it leaves, at any width', () => {
    for (const columns of [80, 40, 24]) {
      const screen = new Screen(columns);
      const nothing = { problems: [], persons: NONE, silent: null, lost: null, unknown: null };
      const facts = { at: 0, held: null, left: 1, lastSendAt: null, ...nothing };
      const trial = { rows: 3, ended: 2, others: 97 };
      viewOn(screen).show({ run: 'spring.1', counts: { published: 2, processing: 1, planned: 97 }, ...facts, trial });
      expect(screen.shown.map((line) => line.trim()).join(' ')).toMatch(/2\/3 of the trial \(97 left planned\)/);
      for (const line of screen.shown) expect(stringWidth(line)).toBeLessThan(columns);
    }
  });

  test('leaves nothing behind when drawn again, in a terminal that got narrower or wider, and when it ends', () => {
    const screen = new Screen(80);
    const view = viewOn(screen);
    show(view);
    for (const columns of [40, 40, 100, 57]) {
      screen.resize(columns);
      show(view);
      const fresh = new Screen(columns);
      show(viewOn(fresh));
      expect(screen.shown).toEqual(fresh.shown);
    }
    view.end();
    expect(screen.shown).toEqual([]);
  });
});
