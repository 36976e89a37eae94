import { type Clock, localTime } from '../../wording/times';
import { ROW_STATES, type RowState } from '../../ledger/model/states';
import { type Counts } from '../../ledger/model/types';
import { findFailures, type Findings } from '../failure-groups';
import { type Audience, CLIENT, OPERATOR } from './audience';
import { clientInput } from './client-words';
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
 * without its script, which only filters. For a client, it is made of what a client may read, and has fewer parts.
 */
export async function* htmlReport(asked: HtmlReportInput): AsyncGenerator<string> {
  const audience = asked.forClient ? CLIENT : OPERATOR;
  const given = asked.forClient ? clientInput(asked) : asked;
  const found = await findFailures(given.rows());
  const input = asked.forClient ? { ...given, ...countedRows(found) } : given;
  const clock = clockOf(input);
  const shown = { clock, audience };
  yield head(input, clock);
  yield verdict(input, found, audience);
  if (!audience.forClient) {
    yield persons(found, input, clock);
    yield givenUpSection(found, clock);
  }
  yield failureSections(found.failures, clock, audience);
  yield found.matrix.html(audience);
  yield found.timeline.html(clock, audience);
  yield calendar(found.planned.first(), found.planned.total, shown);
  yield* rowsTable(input, found.channels, shown);
  const made = `Made ${localTime(input.madeAt, clock)} (${input.zone})`;
  yield pageEnd(audience.forClient ? `${made}.` : `${made} from the ledger. ${forClientText(input)}`);
}

function countedRows({ counts }: Findings): Pick<HtmlReportInput, 'counts' | 'total'> {
  return { counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Where a person who is about to send this report to a client sees that there is one for that. */
function forClientText({ campaign, sandbox, placeFlags = sandbox ? ' --sandbox' : '' }: HtmlReportInput): string {
  return `To send it to a client: \`reelay results ${campaign} -o html --for-client --out ${campaign}.html${placeFlags}\``;
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

function verdict(input: HtmlReportInput, found: Findings, audience: Audience): string {
  const { givenUpTotal: givenUp, otherwise } = found;
  const sum = (states: readonly RowState[]): number =>
    states.reduce((total, state) => total + (input.counts[state] ?? 0), 0);
  const done = sum(GOOD);
  const good = input.succeeded ?? done - otherwise;
  const bad = sum(BAD) + done - good;
  const words =
    good === input.total
      ? (input.total === 1 ? `The one ${audience.rows(1).slice(2)}` : `All ${audience.rows(input.total)}`) +
        ' succeeded.'
      : [
          `${countText(good)} of ${audience.rows(input.total)} succeeded`,
          bad > 1 ? `${countText(bad)} need attention` : bad === 1 ? '1 needs attention' : '',
          ...openParts(input.counts, found),
        ]
          .filter((part) => part !== '')
          .join('; ') + '.';
  const complete = good === input.total && (input.leftOut ?? []).length === 0;
  const look = bad > 0 ? ' bad' : complete ? ' good' : '';
  const counts = ROW_STATES.filter((state) => (input.counts[state] ?? 0) > 0)
    .map((state) => {
      const perhaps = state === 'cancelled' && givenUp > 0 ? ` (${countText(givenUp)} given up, may be live)` : '';
      return `<li class="${styleOf(state)}"><b>${countText(input.counts[state] ?? 0)}</b>${audience.state(state)}${perhaps}</li>`;
    })
    .join('');
  const leftOut = (input.leftOut ?? []).map((line) => `<p class="left-out">${escapeProse(line)}.</p>\n`).join('');
  const unread = audience.forClient ? 0 : (input.counts.submitted ?? 0);
  const direct =
    unread === 0
      ? ''
      : `<p>${countText(unread)} of the rows ${unread === 1 ? 'is a direct publish' : 'are direct publishes'}: acknowledged, and no outcome can be read. Check the channel.</p>\n`;
  return `<p class="verdict${look}" role="status">${escapeHtml(words)}</p>\n${stateBar(input.counts, audience)}<ul class="counts">${counts}</ul>\n${leftOut}${direct}`;
}

/** The rows that neither succeeded nor went wrong: `2 are scheduled`, `1 was cancelled`. */
function openParts(counts: Counts, { planned, givenUpTotal }: Findings): string[] {
  const unsent = (counts.planned ?? 0) + (counts.waiting ?? 0);
  const scheduled = Math.min(planned.total, unsent);
  const perhaps = Math.min(givenUpTotal, counts.cancelled ?? 0);
  const part = (count: number, one: string, many: string): string =>
    count === 0 ? '' : count === 1 ? `1 ${one}` : `${countText(count)} ${many}`;
  return [
    part((counts.creating ?? 0) + (counts.processing ?? 0), 'is being published', 'are being published'),
    part(scheduled, 'is scheduled', 'are scheduled'),
    part(unsent - scheduled, 'is not sent yet', 'are not sent yet'),
    part((counts.cancelled ?? 0) - perhaps, 'was cancelled', 'were cancelled'),
    part(perhaps, 'was given up and may be live', 'were given up and may be live'),
  ];
}
