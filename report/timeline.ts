import { type Clock, localTime } from '../wording/times';
import { escapeHtml } from './html-text';

export type Look = 'good' | 'bad' | 'other';

const BARS = 60;
const FIRST_MS = 1_000;
const [HEIGHT, WIDTH] = [80, 10];

/**
 * When rows ended, as bars of equal time; one pass over them, in any order, in bounded memory: the bars get twice as
 * long whenever a time lies outside.
 */
export class Timeline {
  #barMs = FIRST_MS;
  /** Index of the first bar, counted in bars since the epoch. */
  #from = 0;
  #bars = new Map<number, Record<Look, number>>();

  add(iso: string, look: Look): void {
    const at = Date.parse(iso);
    if (Number.isNaN(at)) return;
    const index = Math.floor(at / this.#barMs);
    if (this.#bars.size === 0) this.#from = index;
    this.#count(index, { good: 0, bad: 0, other: 0, [look]: 1 });
    for (;;) {
      const indexes = [...this.#bars.keys()];
      this.#from = Math.min(...indexes);
      if (Math.max(...indexes) - this.#from < BARS) return;
      this.#widen();
    }
  }

  /** Empty while nothing ended. */
  html(clock: Clock): string {
    if (this.#bars.size === 0) return '';
    const last = Math.max(...this.#bars.keys());
    const most = Math.max(...[...this.#bars.values()].map((bar) => bar.good + bar.bad + bar.other));
    const bars = [...this.#bars].map(([index, bar]) => this.#bar(index, bar, { most, clock })).join('');
    const width = (last - this.#from + 1) * WIDTH;
    const times = [this.#from * this.#barMs, (last + 1) * this.#barMs].map((ms) => localTime(ms, clock));
    const words = `Rows that ended, from ${times.join(' to ')}; at most ${most} in a bar of ${spanText(this.#barMs)}.`;
    return `<h2>Timeline</h2>
<svg class="time" role="img" aria-label="${escapeHtml(words)}" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" preserveAspectRatio="none">${bars}</svg>
<p class="dim">${escapeHtml(words)}</p>\n`;
  }

  #bar(index: number, bar: Record<Look, number>, { most, clock }: { most: number; clock: Clock }): string {
    const x = (index - this.#from) * WIDTH;
    let below = HEIGHT;
    const parts = (['good', 'other', 'bad'] as const).map((look) => {
      if (bar[look] === 0) return '';
      const height = Math.max(2, Math.round((bar[look] / most) * HEIGHT));
      below = Math.max(0, below - height);
      return `<rect class="${look}" x="${x}" y="${below}" width="${WIDTH - 1}" height="${height}"/>`;
    });
    const when = localTime(index * this.#barMs, clock);
    return `<g><title>${escapeHtml(`${when}: ${bar.good} succeeded, ${bar.bad} failed, ${bar.other} other`)}</title>${parts.join('')}</g>`;
  }

  #count(index: number, more: Record<Look, number>): void {
    const bar = this.#bars.get(index) ?? { good: 0, bad: 0, other: 0 };
    this.#bars.set(index, { good: bar.good + more.good, bad: bar.bad + more.bad, other: bar.other + more.other });
  }

  #widen(): void {
    const before = this.#bars;
    this.#bars = new Map();
    this.#barMs *= 2;
    for (const [index, bar] of before) this.#count(Math.floor(index / 2), bar);
  }
}

/** `8 s`, `17 min`, `4.6 h` */
function spanText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
