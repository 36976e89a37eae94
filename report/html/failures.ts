import { rowPlace } from '../../wording/row-place';
import { type Clock, inReaderZone, localTime } from '../../wording/times';
import { type FailureGroup } from '../failure-groups';
import { type Tally } from '../tally';
import { type Audience } from './audience';
import { countText, escapeHtml, escapeProse } from './text';

const NAMED = 5;

/** Rows that went wrong, by cause: which they are, and what they have in common: channel, source, time. */
export function failureSections(failures: readonly FailureGroup[], clock: Clock, audience: Audience): string {
  if (failures.length === 0) return '';
  return `<h2>Problems by cause</h2>\n${failures.map((group) => section(group)).join('')}`;

  function section(group: FailureGroup): string {
    const rows = group.rows
      .map(({ line, file, title, key, channel }) => {
        const number = audience.forClient ? '' : `Row ${escapeHtml(rowPlace({ line, file }))} · `;
        return `<li>${number}${escapeHtml(title ?? key)} <span class="dim">${escapeHtml(channel)}</span></li>`;
      })
      .join('');
    const more = group.count - group.rows.length;
    const facts = [`Channel: ${tallyText(group.channels)}`];
    if (!audience.forClient) facts.push(`Source: ${tallyText(group.hosts)}`);
    if (group.first !== null && group.last !== null) {
      const times = [...new Set([localTime(group.first, clock), localTime(group.last, clock)])];
      facts.push(`Time: ${times.join(' to ')}`);
    }
    const code = audience.forClient ? '' : ` · <code>${escapeHtml(group.code)}</code>`;
    return `<div class="group"><p><b>${countText(group.count)}</b> <span class="s bad">${audience.state(group.state)}</span>${code}</p>
<p>${escapeProse(inReaderZone(group.message, clock))}</p><ul>${rows}${more > 0 ? `<li class="dim">… and ${countText(more)} more</li>` : ''}</ul><p class="dim">${facts.map(escapeHtml).join('<br>')}</p></div>\n`;
  }
}

/** `Garden · long (12), Kitchen · long (3), and 4 in others`; a single one without its number. */
function tallyText(tally: Tally): string {
  const { entries, rest } = tally.top(NAMED);
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && rest === 0) return only.text;
  const named = entries.map(({ text, count }) => `${text} (${countText(count)})`).join(', ');
  return rest === 0 ? named : `${named}, and ${countText(rest)} in others`;
}
