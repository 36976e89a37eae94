import { type Clock, inReaderZone, localTime } from '../../wording/times';
import { OPERATOR } from '../html/audience';
import { pageEnd, pageStart } from '../html/frame';
import { countText, escapeHtml } from '../html/text';
import { calendar } from './calendar';
import { type PlannedItem } from './planned';

export interface PlanPageInput {
  campaign: string;
  sandbox: boolean;
  /** Times are ISO; null: at once. */
  channels: readonly { label: string; rows: number; firstAt: string | null; lastAt: string | null }[];
  /** By their times. */
  items: readonly PlannedItem[];
  clock: Clock;
  /** Warnings; with an error there is no plan. */
  problems: readonly { line: number | null; message: string }[];
}

/** What a submit would send and when, as one self-contained page. */
export function planPage({ campaign, sandbox, channels, items, clock, problems }: PlanPageInput): string {
  const last = items.at(-1);
  const words =
    last === undefined
      ? 'Nothing to send.'
      : `${countText(items.length)} ${items.length === 1 ? 'video' : 'videos'} to ${countText(channels.length)} ${channels.length === 1 ? 'channel' : 'channels'}, the last at ${localTime(last.at, clock)}.`;
  const title = `${sandbox ? 'SANDBOX · ' : ''}${campaign}: plan`;
  return [
    pageStart(title, escapeHtml(`times in ${clock.zone}`)),
    `<p class="verdict" role="status">${escapeHtml(words)}</p>\n`,
    warnings(problems, clock),
    channelTable(channels, clock),
    calendar(items, items.length, { clock, audience: OPERATOR }),
    pageEnd(`Made ${localTime(clock.now, clock)} (${clock.zone}). Nothing was sent.`),
  ].join('');
}

function warnings(problems: PlanPageInput['problems'], clock: Clock): string {
  if (problems.length === 0) return '';
  const items = problems.map(
    ({ line, message }) =>
      `<li>${line === null ? '' : `Line ${line}: `}${escapeHtml(inReaderZone(message, clock))}</li>`,
  );
  return `<h2>Warnings</h2>\n<ul>${items.join('')}</ul>\n`;
}

function channelTable(channels: PlanPageInput['channels'], clock: Clock): string {
  if (channels.length === 0) return '';
  const at = (iso: string | null): string => (iso === null ? 'at once' : escapeHtml(localTime(iso, clock)));
  const lines = channels.map(
    ({ label, rows, firstAt, lastAt }) =>
      `<tr><th scope="row">${escapeHtml(label)}</th><td class="n" data-s="rows">${countText(rows)}</td><td data-s="first">${at(firstAt)}</td><td data-s="last">${at(lastAt)}</td></tr>`,
  );
  return `<h2>Channels</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Channels"><table class="matrix"><thead><tr><th scope="col">Channel</th><th scope="col" class="n">Rows</th><th scope="col">First</th><th scope="col">Last</th></tr></thead><tbody>
${lines.join('\n')}
</tbody></table></div>
`;
}
