import { type FailureGroup } from './failure-groups';
import { type Clock, inReaderZone, localTime } from '../wording/times';
import { countText, escapeHtml } from './html-text';
import { type Tally } from './tally';

const NAMED = 5;

/** Rows that ended badly, by cause; of each what its rows have in common: channel, source, time. */
export function failureSections(failures: readonly FailureGroup[], clock: Clock): string {
  if (failures.length === 0) return '';
  return `<h2>Failures by cause</h2>\n${failures.map((group) => section(group, clock)).join('')}`;
}

function section(group: FailureGroup, clock: Clock): string {
  const lines = `${group.lines.join(', ')}${group.count > group.lines.length ? ', …' : ''}`;
  const facts = [`${group.count === 1 ? 'Row' : 'Rows'} ${lines}`, `Channel: ${tallyText(group.channels)}`];
  facts.push(`Source: ${tallyText(group.hosts)}`);
  if (group.first !== null && group.last !== null) {
    const times = group.first === group.last ? [group.first] : [group.first, group.last];
    facts.push(`Time: ${times.map((time) => localTime(time, clock)).join(' to ')}`);
  }
  return `<div class="group"><p><b>${countText(group.count)}</b> ${group.state} · <code>${escapeHtml(group.code)}</code></p>
<p>${escapeHtml(inReaderZone(group.message, clock))}</p><p class="dim">${facts.map(escapeHtml).join('<br>')}</p></div>\n`;
}

/** `Garden · long (12), Kitchen · long (3), and 4 in others`; a single one without its number. */
function tallyText(tally: Tally): string {
  const { entries, rest } = tally.top(NAMED);
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && rest === 0) return only.text;
  const named = entries.map(({ text, count }) => `${text} (${countText(count)})`).join(', ');
  return rest === 0 ? named : `${named}, and ${countText(rest)} in others`;
}
