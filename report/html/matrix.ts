import { ROW_STATES, type RowState } from '../../ledger/model/states';
import { styleOf } from '../state-styles';
import { type Audience } from './audience';
import { countText, escapeHtml } from './text';

/** Maximum number of channels that are listed. */
const SHOWN = 100;

/** How many rows of each channel are in which state; memory stays bounded for any input. */
export class ChannelMatrix {
  readonly #channels = new Map<string, Map<RowState, number>>();
  readonly #states = new Set<RowState>();

  add(channel: string, state: RowState): void {
    const known = this.#channels.get(channel);
    const counts = known ?? new Map<RowState, number>();
    if (known === undefined && this.#channels.size > SHOWN) return;
    this.#channels.set(channel, counts.set(state, (counts.get(state) ?? 0) + 1));
    this.#states.add(state);
  }

  /** Empty for a single channel: the counts above show the same. */
  html(audience: Audience): string {
    if (this.#channels.size < 2) return '';
    const states = ROW_STATES.filter((state) => this.#states.has(state));
    const channels = [...this.#channels].sort(([a], [b]) => a.localeCompare(b, 'en'));
    const lines = channels.slice(0, SHOWN).map(([channel, counts]) => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return `<tr><th scope="row">${escapeHtml(channel)}</th>${states.map((state) => cell(state, counts.get(state) ?? 0, audience)).join('')}<td class="n" data-s="all">${countText(total)}</td></tr>`;
    });
    const more = this.#channels.size > SHOWN ? '<p class="dim">… and further channels.</p>\n' : '';
    return `<h2>Channels</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Channels"><table class="matrix"><thead><tr><th scope="col">Channel</th>${states.map((state) => `<th scope="col" class="n">${audience.state(state)}</th>`).join('')}<th scope="col" class="n">all</th></tr></thead><tbody>
${lines.join('\n')}
</tbody></table></div>
${more}`;
  }
}

function cell(state: RowState, count: number, audience: Audience): string {
  return count === 0
    ? '<td class="n dim">·</td>'
    : `<td class="n s ${styleOf(state)}" data-s="${audience.state(state)}">${countText(count)}</td>`;
}
