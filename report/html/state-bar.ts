import { ROW_STATES } from '../../ledger/model/states';
import { type Counts } from '../../ledger/model/types';
import { styleOf } from '../state-styles';
import { type Audience } from './audience';
import { countText } from './text';

const STYLES = ['good', 'wait', 'off', 'bad'] as const;
const WIDTH = 1_000;
/** So that one row of ten thousand is visible. */
const LEAST = 6;

/** All rows as one bar, with a part for each state: those that succeeded first, those that went wrong at the end. */
export function stateBar(counts: Counts, audience: Audience): string {
  const states = ROW_STATES.filter((state) => (counts[state] ?? 0) > 0).sort(
    (a, b) => STYLES.indexOf(styleOf(a)) - STYLES.indexOf(styleOf(b)),
  );
  const total = states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  if (total === 0) return '';
  const wide = WIDTH - LEAST * states.length;
  let x = 0;
  const parts = states.map((state) => {
    const count = counts[state] ?? 0;
    const width = LEAST + (count / total) * wide;
    const part = `<rect class="${styleOf(state)}" x="${x.toFixed(1)}" width="${Math.max(1, width - 2).toFixed(1)}" height="10"><title>${countText(count)} ${audience.state(state)}</title></rect>`;
    x += width;
    return part;
  });
  const label = states.map((state) => `${countText(counts[state] ?? 0)} ${audience.state(state)}`).join(', ');
  return `<svg class="bar" role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none">${parts.join('')}</svg>\n`;
}
