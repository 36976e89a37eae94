import { rowPlace } from '../../wording/row-place';
import { type Clock, inReaderZone, localTime } from '../../wording/times';
import { type ResultRecord } from '../../ledger/model/result-types';
import { ROW_STATES } from '../../ledger/model/states';
import { wentWrong } from '../failure-groups';
import { GOOD } from '../state-styles';
import { type Audience } from './audience';
import { type HtmlReportInput } from './report-input';
import { escapeHtml, escapeProse, htmlLink } from './text';

const ROWS_A_BODY = 50;
const ROWS_A_PIECE = 100;

/** Every row, a piece at a time; the filter works if scripts do. */
export async function* rowsTable(
  input: HtmlReportInput,
  channels: readonly string[],
  { clock, audience }: { clock: Clock; audience: Audience },
): AsyncGenerator<string> {
  yield tableHead(input, channels, audience);
  let count = 0;
  let piece = '';
  for await (const row of input.rows()) {
    if (count % ROWS_A_BODY === 0) piece += count === 0 ? '<tbody>\n' : '</tbody><tbody>\n';
    piece += tableRow(row, { clock, audience });
    count += 1;
    if (count % ROWS_A_PIECE === 0) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}${count > 0 ? '</tbody>' : ''}</table></div>\n`;
}

function tableHead(input: HtmlReportInput, channels: readonly string[], audience: Audience): string {
  const { forClient, heading } = audience;
  const own = (html: string): string => (forClient ? '' : html);
  const states = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0);
  return `<h2>${heading}</h2>
<div class="tools" id="tools" hidden><label>Search <input id="find" type="search" aria-keyshortcuts="/"></label>
<label>State <select id="state"><option value="">all</option>${states.map((state) => `<option>${audience.state(state)}</option>`).join('')}</select></label>
<label>Channel <select id="channel"><option value="">all</option>${channels.map((channel) => `<option>${escapeHtml(channel)}</option>`).join('')}</select></label>
<button type="button" id="clear">Show all</button> <span class="dim" id="shown" role="status"></span></div>
<div class="scroll" tabindex="0" role="region" aria-label="${heading}"><table id="rows"${forClient ? ' class="client"' : ''}><thead><tr>${own('<th scope="col" class="n">Row</th>')}<th scope="col">State</th><th scope="col">Title</th><th scope="col" id="channels">Channel</th>${own('<th scope="col">Key</th>')}<th scope="col">Result</th>${own('<th scope="col" class="n">Attempts</th>')}<th scope="col">Times</th></tr></thead>
`;
}

/** Optional end tags are left out, because with ten thousand rows they matter for the size. */
function tableRow(row: ResultRecord, { clock, audience }: { clock: Clock; audience: Audience }): string {
  const { forClient } = audience;
  const state = audience.state(row.state);
  const look = wentWrong(row) ? ' bad' : GOOD.includes(row.state) ? ' good' : '';
  const link = row.video_url === null ? '' : htmlLink(row.video_url, row.video_url);
  const reason = [forClient ? null : row.code, row.message].filter((part) => part !== null).join(': ');
  const id = row.publication_id ?? row.publish_id;
  const result = [
    link,
    escapeProse(inReaderZone(reason, clock)),
    id === null ? '' : `<span class="dim">${escapeHtml(id)}</span>`,
  ]
    .filter((part) => part !== '')
    .join('<br>');
  const own = (html: string): string => (forClient ? '' : html);
  const cells = [
    own(`<td class="n">${escapeHtml(rowPlace(row))}`),
    `<td class="s${look}">${state}`,
    `<td>${escapeHtml(row.title ?? '')}`,
    `<td>${escapeHtml(row.channel)}`,
    own(`<td class="k">${escapeHtml(row.key)}`),
    `<td>${result}`,
    own(`<td class="n">${row.attempts}`),
    `<td class="t">${times(row, clock)}`,
  ];
  return `<tr data-s="${state}">${cells.join('')}\n`;
}

/** When it was created, published and ended; missing times are left out, and so is the day of times on one day. */
function times(row: ResultRecord, clock: Clock): string {
  let day = '';
  return (
    [
      ['for', row.publish_at],
      ['created', row.created_at],
      ['published', row.published_at],
      ['ended', row.ended_at],
    ] as const
  )
    .flatMap(([what, at]) => {
      if (at === null) return [];
      const local = localTime(at, clock);
      const [, date = '', time = ''] = /^(.*) (\d\d:\d\d)$/.exec(local) ?? [];
      const shown = date !== '' && date === day ? time : local;
      day = date;
      return [`${what} ${escapeHtml(shown)}`];
    })
    .join('<br>');
}
