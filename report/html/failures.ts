import { type Clock, inReaderZone, localTime } from '../../wording/times';
import { type FailureGroup } from '../failure-groups';
import { type Tally } from '../tally';
import { countText, escapeHtml, escapeProse } from './text';

const NAMED = 5;

/** Rows that went wrong, by cause: which they are, and what they have in common: channel, source, time. */
export function failureSections(failures: readonly FailureGroup[], clock: Clock): string {
  if (failures.length === 0) return '';
  return `<h2>Problems by cause</h2>\n${failures.map((group) => section(group, clock)).join('')}`;
}

function section(group: FailureGroup, clock: Clock): string {
  const rows = group.rows
    .map(
      ({ line, title, key, channel }) =>
        `<li>Row ${line} · ${escapeHtml(title ?? key)} <span class="dim">${escapeHtml(channel)}</span></li>`,
    )
    .join('');
  const more = group.count - group.rows.length;
  const facts = [`Channel: ${tallyText(group.channels)}`, `Source: ${tallyText(group.hosts)}`];
  if (group.first !== null && group.last !== null) {
    const times = [...new Set([localTime(group.first, clock), localTime(group.last, clock)])];
    facts.push(`Time: ${times.join(' to ')}`);
  }
  return `<div class="group"><p><b>${countText(group.count)}</b> <span class="s bad">${group.state}</span> · <code>${escapeHtml(group.code)}</code></p>
<p>${escapeProse(inReaderZone(group.message, clock))}</p><ul>${rows}${more > 0 ? `<li class="dim">… and ${countText(more)} more</li>` : ''}</ul><p class="dim">${facts.map(escapeHtml).join('<br>')}</p></div>\n`;
}

/** `Garden · long (12), Kitchen · long (3), and 4 in others`; a single one without its number. */
function tallyText(tally: Tally): string {
  const { entries, rest } = tally.top(NAMED);
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && rest === 0) return only.text;
  const named = entries.map(({ text, count }) => `${text} (${countText(count)})`).join(', ');
  return rest === 0 ? named : `${named}, and ${countText(rest)} in others`;
}
