import { type Clock, localTime } from '../../wording/times';
import { ROW_STATES, type RowState } from '../../ledger/model/states';
import { findFailures, type Findings } from '../failure-groups';
import { failureSections } from './failures';
import { pageEnd, pageStart } from './frame';
import { givenUpSection, persons } from './persons';
import { rowsTable } from './rows-table';
import { stateBar } from './state-bar';
import { countText, escapeHtml, escapeProse, htmlLink } from './text';
import { BAD, GOOD, styleOf } from '../state-styles';
import { calendar } from '../plan/calendar';
import { type HtmlReportInput } from './report-input';

/** Times as the report shows them. */
function clockOf({ madeAt, zone }: Pick<HtmlReportInput, 'madeAt' | 'zone'>): Clock {
  return { zone, now: Date.parse(madeAt) };
}

/**
 * The report as one self-contained file, a piece at a time: the verdict, what went wrong, then everything else. Works
 * without its script, which only filters.
 */
export async function* htmlReport(input: HtmlReportInput): AsyncGenerator<string> {
  const found = await findFailures(input.rows());
  const clock = clockOf(input);
  yield head(input, clock);
  yield verdict(input, found);
  yield persons(found, input, clock);
  yield givenUpSection(found, clock);
  yield failureSections(found.failures, clock);
  yield found.matrix.html();
  yield found.timeline.html(clock);
  yield calendar(found.planned.first(), found.planned.total, clock);
  yield* rowsTable(input, found.channels, clock);
  yield pageEnd(`Made ${localTime(input.madeAt, clock)} (${input.zone}) from the ledger.`);
}

function head(input: HtmlReportInput, clock: Clock): string {
  const title = `${input.sandbox ? 'SANDBOX · ' : ''}${input.run}`;
  const times = [
    input.startedAt === null ? null : `started ${localTime(input.startedAt, clock)}`,
    input.finishedAt === null ? 'not finished' : `finished ${localTime(input.finishedAt, clock)}`,
    `times in ${input.zone}`,
  ].filter((part) => part !== null);
  const link = input.webUi === null ? '' : ` · ${htmlLink(input.webUi, 'Temporal Web UI')}${again(input)}`;
  return pageStart(title, `${escapeHtml(times.join(' · '))}${link}`);
}

function again({ webUiAgain = [] }: HtmlReportInput): string {
  const commands = webUiAgain.map((command) => `<code>${escapeHtml(command)}</code>`).join(', then ');
  return commands === '' ? '' : ` (ended with its run; back with ${commands})`;
}

function verdict(input: HtmlReportInput, { givenUpTotal: givenUp, otherwise }: Findings): string {
  const sum = (states: readonly RowState[]): number =>
    states.reduce((total, state) => total + (input.counts[state] ?? 0), 0);
  const done = sum(GOOD);
  const good = input.succeeded ?? done - otherwise;
  const bad = sum(BAD) + done - good;
  const rest = input.total - good - bad;
  const words =
    good === input.total
      ? (input.total === 1 ? 'The one row' : `All ${countText(input.total)} rows`) + ' succeeded.'
      : `${countText(good)} of ${countText(input.total)} rows succeeded` +
        (bad > 1 ? `; ${countText(bad)} need attention` : bad === 1 ? '; 1 needs attention' : '') +
        (rest > 1 ? `; ${countText(rest)} are not sent, cancelled or still open` : '') +
        (rest === 1 ? '; 1 is not sent, cancelled or still open' : '') +
        '.';
  const complete = good === input.total && (input.leftOut ?? []).length === 0;
  const look = bad > 0 ? ' bad' : complete ? ' good' : '';
  const counts = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0)
    .map((state) => {
      const perhaps = state === 'cancelled' && givenUp > 0 ? ` (${countText(givenUp)} given up, may be live)` : '';
      return `<li class="${styleOf(state)}"><b>${countText(input.counts[state] ?? 0)}</b>${state}${perhaps}</li>`;
    })
    .join('');
  const leftOut = (input.leftOut ?? []).map((line) => `<p class="left-out">${escapeProse(line)}.</p>\n`).join('');
  const unread = input.counts.submitted ?? 0;
  const direct =
    unread === 0
      ? ''
      : `<p>${countText(unread)} of the rows ${unread === 1 ? 'is a direct publish' : 'are direct publishes'}: acknowledged, and no outcome can be read. Check the channel.</p>\n`;
  return `<p class="verdict${look}" role="status">${escapeHtml(words)}</p>\n${stateBar(input.counts)}<ul class="counts">${counts}</ul>\n${leftOut}${direct}`;
}
