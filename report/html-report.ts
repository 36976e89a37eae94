import { type Counts, type ResultRecord } from '../ledger/types';
import { ROW_STATES, type RowState } from '../ledger/states';
import { contentPolicy, SCRIPT, STYLE } from './html-assets';
import { countText, escapeHtml, htmlLink } from './html-text';
import { groupFailures, type FailureGroup, type FailureGroups } from './failure-groups';

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
  sandbox: boolean;
  /** Commands that go on from here, whole. */
  next: readonly string[];
  /** Read twice: for the groups, then for the table. */
  rows: () => AsyncIterable<ResultRecord>;
  /** Commands that settle a row, by its line and key; from the command line's own hand. */
  settle?: readonly { line: number; key: string; commands: readonly string[] }[];
  /** When the report was made, ISO. */
  madeAt: string;
}

export const GOOD: readonly RowState[] = ['published', 'drafted', 'submitted'];
export const BAD: readonly RowState[] = ['failed', 'rejected', 'unconfirmed', 'overdue'];
const ROWS_A_BODY = 500;

/** The report as one self-contained file, a piece at a time. Works without its script, which only filters. */
export async function* htmlReport(input: HtmlReportInput): AsyncGenerator<string> {
  const groups = await groupFailures(input.rows());
  yield head(input);
  yield verdict(input);
  yield persons(groups, input);
  yield failures(groups);
  yield tableHead(input);
  let count = 0;
  let piece = '';
  for await (const row of input.rows()) {
    if (count % ROWS_A_BODY === 0) piece += count === 0 ? '<tbody>\n' : '</tbody><tbody>\n';
    piece += tableRow(row);
    count += 1;
    if (count % 100 === 0) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}${count > 0 ? '</tbody>' : ''}</table></div>\n`;
  yield `<p class="dim">Made ${escapeHtml(timeText(input.madeAt))} from the ledger.</p>\n<script>${SCRIPT}</script>\n</body></html>\n`;
}

function head(input: HtmlReportInput): string {
  const title = `${input.sandbox ? 'SANDBOX · ' : ''}${input.run}`;
  const times = [
    input.startedAt === null ? null : `started ${timeText(input.startedAt)}`,
    input.finishedAt === null ? 'not finished' : `finished ${timeText(input.finishedAt)}`,
  ].filter((part) => part !== null);
  const link = input.webUi === null ? '' : ` · ${htmlLink(input.webUi, 'Temporal Web UI')}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy())}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1>
<p class="dim">${escapeHtml(times.join(' · '))}${link}</p>
`;
}

/** `2026-11-28T01:22:18.569Z` as people read it: `2026-11-28 01:22:18 UTC`. */
function timeText(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}

function verdict(input: HtmlReportInput): string {
  const sum = (states: readonly RowState[]): number =>
    states.reduce((total, state) => total + (input.counts[state] ?? 0), 0);
  const good = sum(GOOD);
  const bad = sum(BAD);
  const rest = input.total - good - bad;
  const words =
    good === input.total
      ? (input.total === 1 ? 'The one row' : `All ${countText(input.total)} rows`) + ' ended as asked.'
      : `${countText(good)} of ${countText(input.total)} rows ended as asked` +
        (bad > 0 ? `; ${countText(bad)} need attention` : '') +
        (rest > 0 ? `; ${countText(rest)} are not sent, cancelled or still open` : '') +
        '.';
  const look = bad > 0 ? ' bad' : good === input.total ? ' good' : '';
  const counts = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0)
    .map((state) => `<li><b>${countText(input.counts[state] ?? 0)}</b>${state}</li>`)
    .join('');
  const unread = input.counts.submitted ?? 0;
  const direct =
    unread === 0
      ? ''
      : `<p>${countText(unread)} of the rows ${unread === 1 ? 'is a direct publish' : 'are direct publishes'}: acknowledged, and no outcome can be read. Look at the channel.</p>\n`;
  return `<p class="verdict${look}" role="status">${escapeHtml(words)}</p>\n<ul class="counts">${counts}</ul>\n${direct}`;
}

function persons(groups: FailureGroups, input: HtmlReportInput): string {
  const commands = input.next.map((command) => `<li><code>${escapeHtml(command)}</code></li>`).join('');
  if (groups.unconfirmed.length === 0) return commands === '' ? '' : `<h2>Next</h2><ul>${commands}</ul>\n`;
  const more = groups.unconfirmedTotal - groups.unconfirmed.length;
  const items = groups.unconfirmed
    .map((row) => {
      const candidates =
        row.candidates.length === 0 ? '' : ` Candidates: ${row.candidates.map(escapeHtml).join(', ')}.`;
      const settle = (input.settle ?? []).find((one) => one.line === row.line && one.key === row.key)?.commands ?? [];
      const choices = settle.map((command) => `<br><code>${escapeHtml(command)}</code>`).join('');
      return `<li>Line ${row.line}, key <code>${escapeHtml(row.key)}</code>: ${escapeHtml(row.title ?? '')} — ${escapeHtml(row.message ?? row.code ?? '')}${candidates}${choices}</li>`;
    })
    .join('');
  return `<h2>Needs a person</h2>
<p>A create may have happened for ${countText(groups.unconfirmedTotal)} of the rows, and nothing could settle it. Look at the channel before you do anything about them: nothing sends them again by itself.</p>
<ul>${items}${more > 0 ? `<li>… and ${countText(more)} more</li>` : ''}</ul>
${commands === '' ? '' : `<ul>${commands}</ul>`}\n`;
}

function failures(groups: FailureGroups): string {
  if (groups.failures.length === 0) return '';
  return `<h2>Failures by cause</h2>\n${groups.failures.map(failureGroup).join('')}`;
}

function failureGroup(group: FailureGroup): string {
  const lines = `${group.lines.join(', ')}${group.count > group.lines.length ? ', …' : ''}`;
  return `<div class="group"><p><b>${countText(group.count)}</b> ${group.state} · <code>${escapeHtml(group.code)}</code></p>
<p>${escapeHtml(group.message)}</p><p class="dim">${group.count === 1 ? 'Line' : 'Lines'} ${lines}</p></div>\n`;
}

function tableHead(input: HtmlReportInput): string {
  const states = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0);
  return `<h2>Rows</h2>
<div class="tools" id="tools" hidden><label>Search <input id="find" type="search"></label>
<label>State <select id="state"><option value="">all</option>${states.map((state) => `<option>${state}</option>`).join('')}</select></label>
<span class="dim" id="shown" role="status"></span></div>
<div class="scroll"><table id="rows"><thead><tr><th scope="col">Line</th><th scope="col">State</th><th scope="col">Title</th><th scope="col">Channel</th><th scope="col">Key</th><th scope="col">Result</th></tr></thead>
`;
}

function tableRow(row: ResultRecord): string {
  const look = GOOD.includes(row.state) ? ' good' : BAD.includes(row.state) ? ' bad' : '';
  const result =
    row.video_url !== null
      ? htmlLink(row.video_url, row.video_url)
      : escapeHtml([row.code, row.message].filter((part) => part !== null).join(': ') || (row.publication_id ?? ''));
  const channel = [row.profile ?? row.profile_id, row.platform].filter((part) => part !== null).join(' · ');
  return `<tr data-s="${row.state}"><td class="n">${row.line}</td><td class="s${look}">${row.state}</td><td>${escapeHtml(row.title ?? '')}</td><td>${escapeHtml(channel)}</td><td>${escapeHtml(row.key)}</td><td>${result}</td></tr>\n`;
}
