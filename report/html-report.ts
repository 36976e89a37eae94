import { type Counts, type ResultRecord } from '../ledger/model/types';
import { ROW_STATES, type RowState } from '../ledger/model/states';
import { contentPolicy, SCRIPT, STYLE } from './html-assets';
import { BAD, findFailures, GOOD, type Findings, wentWrong } from './failure-groups';
import { failureSections } from './html-failures';
import { type Clock, inReaderZone, localTime } from '../wording/times';
import { countText, escapeHtml, htmlLink } from './html-text';

export interface HtmlReportInput {
  /** `spring.3` */
  run: string;
  campaign: string;
  /** Rows of the manifest. */
  total: number;
  counts: Counts;
  startedAt: string | null;
  finishedAt: string | null;
  /** Link to the run in the Temporal Web UI. */
  webUi: string | null;
  /** The Web UI is an embedded one, which ends with the command that started it: how to get it back, whole commands. */
  webUiAgain?: readonly string[];
  sandbox: boolean;
  /** What commands need to find the same ledger, with a leading blank: ` --sandbox --home DIR`. */
  placeFlags?: string;
  /** Commands that go on from here, whole. */
  next: readonly string[];
  /** Read twice: for the groups, then for the table. */
  rows: () => AsyncIterable<ResultRecord>;
  /** Commands that settle a row, by its line and key; from the command line's own hand. */
  settle?: readonly { line: number; key: string; commands: readonly string[]; ids?: string | null }[];
  /** When the report was made, ISO. */
  madeAt: string;
  /** In which times are shown. */
  zone: string;
}

/** Times as the report shows them. */
export function clockOf({ madeAt, zone }: Pick<HtmlReportInput, 'madeAt' | 'zone'>): Clock {
  return { zone, now: Date.parse(madeAt) };
}

const ROWS_A_BODY = 50;

/** The report as one self-contained file, a piece at a time. Works without its script, which only filters. */
export async function* htmlReport(input: HtmlReportInput): AsyncGenerator<string> {
  const found = await findFailures(input.rows());
  const clock = clockOf(input);
  yield head(input);
  yield verdict(input, found);
  yield persons(found, input);
  yield givenUpSection(found, clock);
  yield failureSections(found.failures, clock);
  yield found.timeline.html(clock);
  yield tableHead(input, found.channels);
  let count = 0;
  let piece = '';
  for await (const row of input.rows()) {
    if (count % ROWS_A_BODY === 0) piece += count === 0 ? '<tbody>\n' : '</tbody><tbody>\n';
    piece += tableRow(row, clock);
    count += 1;
    if (count % 100 === 0) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}${count > 0 ? '</tbody>' : ''}</table></div>\n`;
  yield `<p class="dim">Made ${escapeHtml(localTime(input.madeAt, clock))} (${escapeHtml(input.zone)}) from the ledger.</p>\n<script>${SCRIPT}</script>\n</body></html>\n`;
}

function head(input: HtmlReportInput): string {
  const title = `${input.sandbox ? 'SANDBOX · ' : ''}${input.run}`;
  const times = [
    input.startedAt === null ? null : `started ${localTime(input.startedAt, clockOf(input))}`,
    input.finishedAt === null ? 'not finished' : `finished ${localTime(input.finishedAt, clockOf(input))}`,
  ].filter((part) => part !== null);
  const link = input.webUi === null ? '' : ` · ${htmlLink(input.webUi, 'Temporal Web UI')}${again(input)}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy())}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1>
<p class="dim">${escapeHtml(times.join(' · '))}${link}</p>
`;
}

function again({ webUiAgain = [] }: HtmlReportInput): string {
  const commands = webUiAgain.map((command) => `<code>${escapeHtml(command)}</code>`).join(', then ');
  return commands === '' ? '' : ` (ended with its run; back with ${commands})`;
}

function verdict(input: HtmlReportInput, { givenUpTotal: givenUp, otherwise }: Findings): string {
  const sum = (states: readonly RowState[]): number =>
    states.reduce((total, state) => total + (input.counts[state] ?? 0), 0);
  const good = sum(GOOD) - otherwise;
  const bad = sum(BAD) + otherwise;
  const rest = input.total - good - bad;
  const words =
    good === input.total
      ? (input.total === 1 ? 'The one row' : `All ${countText(input.total)} rows`) + ' succeeded.'
      : `${countText(good)} of ${countText(input.total)} rows succeeded` +
        (bad > 0 ? `; ${countText(bad)} need attention` : '') +
        (rest > 0 ? `; ${countText(rest)} are not sent, cancelled or still open` : '') +
        '.';
  const look = bad > 0 ? ' bad' : good === input.total ? ' good' : '';
  const counts = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0)
    .map((state) => {
      const perhaps = state === 'cancelled' && givenUp > 0 ? ` (${countText(givenUp)} given up, may be live)` : '';
      return `<li><b>${countText(input.counts[state] ?? 0)}</b>${state}${perhaps}</li>`;
    })
    .join('');
  const unread = input.counts.submitted ?? 0;
  const direct =
    unread === 0
      ? ''
      : `<p>${countText(unread)} of the rows ${unread === 1 ? 'is a direct publish' : 'are direct publishes'}: acknowledged, and no outcome can be read. Look at the channel.</p>\n`;
  return `<p class="verdict${look}" role="status">${escapeHtml(words)}</p>\n<ul class="counts">${counts}</ul>\n${direct}`;
}

function persons(groups: Findings, input: HtmlReportInput): string {
  // Those that settle a row stand with it.
  const told = new Set((input.settle ?? []).flatMap((one) => one.commands));
  const next = groups.unconfirmed.length === 0 ? input.next : input.next.filter((command) => !told.has(command));
  const commands = next.map((command) => `<li><code>${escapeHtml(command)}</code></li>`).join('');
  if (groups.unconfirmed.length === 0) return commands === '' ? '' : `<h2>Next</h2><ul>${commands}</ul>\n`;
  const more = groups.unconfirmedTotal - groups.unconfirmed.length;
  const items = groups.unconfirmed
    .map((row) => {
      const candidates =
        row.candidates.length === 0 ? '' : `. Candidates: ${row.candidates.map(escapeHtml).join(', ')}.`;
      const settle = (input.settle ?? []).find((one) => one.line === row.line && one.key === row.key);
      const commands = (settle?.commands ?? []).map((command) => `<br><code>${escapeHtml(command)}</code>`).join('');
      const ids = settle?.ids ?? null;
      const choices = ids === null ? commands : `${commands}<br>Its id is in: <code>${escapeHtml(ids)}</code>`;
      return `<li>Row ${row.line}, key <code>${escapeHtml(row.key)}</code> (${escapeHtml(row.channel)}): ${escapeHtml(row.title ?? '')} — ${escapeHtml(row.message ?? row.code ?? '')}${candidates}${choices}</li>`;
    })
    .join('');
  return `<h2>Needs a person</h2>
<p>A create may have happened for ${countText(groups.unconfirmedTotal)} of the rows, and nothing could settle it. Check the channel before you settle them: they are never sent again automatically.</p>
<ul>${items}${more > 0 ? `<li>… and ${countText(more)} more</li>` : ''}</ul>
${commands === '' ? '' : `<ul>${commands}</ul>`}${atOnce(groups, input)}\n`;
}

/** Told apart from what was never sent: nobody knows of these whether they are out. */
function givenUpSection({ givenUp, givenUpTotal }: Findings, clock: Clock): string {
  if (givenUpTotal === 0) return '';
  const more = givenUpTotal - givenUp.length;
  const items = givenUp
    .map(
      (row) =>
        `<li>Row ${row.line}, key <code>${escapeHtml(row.key)}</code> (${escapeHtml(row.channel)}): ${escapeHtml(row.title ?? '')} — ${escapeHtml(row.message ?? '')}${row.ended_at === null ? '' : `, ${escapeHtml(localTime(row.ended_at, clock))}`}</li>`,
    )
    .join('');
  return `<h2>Given up, may be live</h2>
<p>A create may have happened for ${countText(givenUpTotal)} of the cancelled rows; a person gave them up. They are never sent again.</p>
<ul>${items}${more > 0 ? `<li>… and ${countText(more)} more</li>` : ''}</ul>
`;
}

/** Where not every row has its commands here: how to settle many with a spreadsheet. */
function atOnce(groups: Findings, input: HtmlReportInput): string {
  if (groups.unconfirmedTotal <= (input.settle ?? []).length) return '';
  const flag = input.placeFlags ?? (input.sandbox ? ' --sandbox' : '');
  const file = `reelay results ${input.run} --state unconfirmed -o csv --out settle.csv${flag}`;
  const settle = `reelay resolve ${input.run} --from settle.csv${flag}`;
  return `<p>All at once: <code>${escapeHtml(file)}</code>, add a column “resolve” (a publication’s id, <i>not-published</i> or <i>give-up</i>; for a direct publish that is live: <i>published</i>), then <code>${escapeHtml(settle)}</code>.</p>`;
}

function tableHead(input: HtmlReportInput, channels: readonly string[]): string {
  const states = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0);
  return `<h2>Rows</h2>
<div class="tools" id="tools" hidden><label>Search <input id="find" type="search" aria-keyshortcuts="/"></label>
<label>State <select id="state"><option value="">all</option>${states.map((state) => `<option>${state}</option>`).join('')}</select></label>
<label>Channel <select id="channel"><option value="">all</option>${channels.map((channel) => `<option>${escapeHtml(channel)}</option>`).join('')}</select></label>
<button type="button" id="clear">Show all</button> <span class="dim" id="shown" role="status"></span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table id="rows"><thead><tr><th scope="col" class="n">Row</th><th scope="col">State</th><th scope="col">Title</th><th scope="col">Channel</th><th scope="col">Key</th><th scope="col">Result</th><th scope="col" class="n">Attempts</th><th scope="col">Times</th></tr></thead>
`;
}

/** Ends of elements that HTML lets out are left out: it is the size of ten thousand rows. */
function tableRow(row: ResultRecord, clock: Clock): string {
  const look = wentWrong(row) ? ' bad' : GOOD.includes(row.state) ? ' good' : '';
  const link = row.video_url === null ? '' : htmlLink(row.video_url, row.video_url);
  const reason = [row.code, row.message].filter((part) => part !== null).join(': ');
  const id = row.publication_id ?? row.publish_id;
  const result = [
    link,
    escapeHtml(inReaderZone(reason, clock)),
    id === null ? '' : `<span class="dim">${escapeHtml(id)}</span>`,
  ]
    .filter((part) => part !== '')
    .join('<br>');
  const cells = [escapeHtml(row.title ?? ''), escapeHtml(row.channel), escapeHtml(row.key), result];
  return `<tr data-s="${row.state}"><td class="n">${row.line}<td class="s${look}">${row.state}<td>${cells.join('<td>')}<td class="n">${row.attempts}<td class="t">${times(row, clock)}\n`;
}

/** When it was created, published and ended; what has no time is left out, and of times on one day the day. */
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
