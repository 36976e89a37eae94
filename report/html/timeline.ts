import { type Clock, localTime } from '../../wording/times';
import { type Audience } from './audience';
import { escapeHtml } from './text';

export type Look = 'good' | 'bad' | 'other';

const BARS = 60;
const FIRST_MS = 1_000;
const [HEIGHT, WIDTH] = [80, 10];
/** A single row takes at most this share of the height: three of them must not look like the end of a campaign. */
const LEAST_MOST = 5;

/**
 * When rows were published or ended, as bars of equal time; one pass over them, in any order, in bounded memory: the bars get
 * twice as long whenever a time lies outside.
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

  /** Empty while nothing has ended. The axis always has the same width, so that a short run has a few narrow bars. */
  html(clock: Clock, audience: Audience): string {
    if (this.#bars.size === 0) return '';
    const last = Math.max(...this.#bars.keys());
    const most = Math.max(...[...this.#bars.values()].map((bar) => bar.good + bar.bad + bar.other));
    const before = Math.floor((BARS - (last - this.#from + 1)) / 2);
    const scale = { most: Math.max(most, LEAST_MOST), first: this.#from - before };
    const bars = [...this.#bars].map(([index, bar]) => this.#bar(index, bar, scale, clock)).join('');
    const width = BARS * WIDTH;
    const at = (index: number): string => localTime(index * this.#barMs, clock);
    const [begin, end] = [at(this.#from), at(last + 1)];
    const words = `${audience.heading} by the time they were published or ended, ${begin === end ? begin : `${begin} to ${end}`} (${clock.zone}). One bar is ${spanText(this.#barMs)}; the highest has ${audience.rows(most)}.`;
    return `<h2>Over time</h2>
<svg class="time" role="img" aria-label="${escapeHtml(words)}" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" preserveAspectRatio="none">${bars}</svg>
<p class="axis dim"><span>${escapeHtml(at(scale.first))}</span><span>${escapeHtml(at(scale.first + BARS))}</span></p>
<p class="dim">${escapeHtml(words)}</p>\n`;
  }

  #bar(index: number, bar: Record<Look, number>, scale: { most: number; first: number }, clock: Clock): string {
    const x = (index - scale.first) * WIDTH;
    let below = HEIGHT;
    const parts = (['good', 'other', 'bad'] as const).map((look) => {
      if (bar[look] === 0) return '';
      const height = Math.max(2, Math.round((bar[look] / scale.most) * HEIGHT));
      below = Math.max(0, below - height);
      return `<rect class="${look}" x="${x}" y="${below}" width="${WIDTH - 2}" height="${Math.max(1, height - 1)}"/>`;
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
