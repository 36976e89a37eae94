import { rowPlace } from '../../wording/row-place';
import { settleMeaning } from '../../wording/settle-meaning';
import { type Clock, inReaderZone, localTime } from '../../wording/times';
import { type ResultRecord } from '../../ledger/model/result-types';
import { type Findings } from '../failure-groups';
import { type HtmlReportInput } from './report-input';
import { countText, escapeHtml, escapeProse } from './text';

/** Rows that only a person can settle, with the commands for it, and the other next steps. */
export function persons(found: Findings, input: HtmlReportInput, clock: Clock): string {
  if (found.unconfirmed.length === 0) return nextSection(input, new Set());
  const alreadyShown = new Set((input.settle ?? []).flatMap((one) => one.commands));
  const more = found.unconfirmedTotal - found.unconfirmed.length;
  const items = found.unconfirmed.map((row) => item(row, input, clock)).join('');
  return `<h2>Needs a person</h2>
<p>A create may have happened for ${countText(found.unconfirmedTotal)} of the rows, and nothing could settle it. Check the channel first, then use one of the commands. Such rows are never sent again automatically.</p>
<ul class="asks">${items}${more > 0 ? `<li>… and ${countText(more)} more</li>` : ''}</ul>
${atOnce(found, input)}${nextSection(input, alreadyShown)}`;
}

function item(row: ResultRecord, input: HtmlReportInput, clock: Clock): string {
  const candidates = row.candidates.length === 0 ? '' : ` Candidates: ${row.candidates.map(escapeHtml).join(', ')}.`;
  const settle = (input.settle ?? []).find((one) => one.key === row.key && one.channel === row.channel);
  const commands = (settle?.commands ?? []).map((text) => command(text, settleMeaning(text, settle?.direct ?? false)));
  const ids = settle?.ids ?? null;
  if (ids !== null) commands.unshift(command(ids, 'lists the publications that may include it'));
  const why = inReaderZone(row.message ?? row.code ?? '', clock);
  return `<li><b>Row ${escapeHtml(rowPlace(row))} · ${escapeHtml(row.title ?? row.key)}</b> <span class="dim">${escapeHtml(row.channel)}, key ${escapeHtml(row.key)}</span><p>${escapeProse(why.replace(/\.$/u, ''))}.${candidates}</p>${commands.join('')}</li>`;
}

/** A command that a click selects completely, and its purpose. */
function command(text: string, what: string): string {
  return `<p class="command"><code>${escapeHtml(text)}</code>${what === '' ? '' : `<span class="dim">${escapeProse(what)}</span>`}</p>`;
}

/** `alreadyShown`: commands that are already shown with their rows. */
function nextSection({ next }: HtmlReportInput, alreadyShown: ReadonlySet<string>): string {
  const left = next.filter(({ command: one }) => !alreadyShown.has(one));
  if (left.length === 0) return '';
  const lines = left.map(({ command: one, what, then }) =>
    then === undefined ? command(one, what) : `${command(one, `${what}, then:`)}${command(then, '')}`,
  );
  return `<h2>Next</h2>\n${lines.join('\n')}\n`;
}

/** Separate from rows that were never sent: it isn't known whether these are live. */
export function givenUpSection({ givenUp, givenUpTotal }: Findings, clock: Clock): string {
  if (givenUpTotal === 0) return '';
  const more = givenUpTotal - givenUp.length;
  const items = givenUp
    .map(
      (row) =>
        `<li>Row ${escapeHtml(rowPlace(row))}, key <code>${escapeHtml(row.key)}</code> (${escapeHtml(row.channel)}): ${escapeHtml(row.title ?? '')} — ${escapeProse(row.message ?? '')}${row.ended_at === null ? '' : `, ${escapeHtml(localTime(row.ended_at, clock))}`}</li>`,
    )
    .join('');
  return `<h2>Given up, may be live</h2>
<p>A create may have happened for ${countText(givenUpTotal)} of the cancelled rows; a person gave them up. Such rows are never sent again.</p>
<ul>${items}${more > 0 ? `<li>… and ${countText(more)} more</li>` : ''}</ul>
`;
}

/** If not every row has its commands here: how to settle many with a spreadsheet. */
function atOnce({ unconfirmedTotal }: Findings, input: HtmlReportInput): string {
  if (unconfirmedTotal <= (input.settle ?? []).length) return '';
  const flag = input.placeFlags ?? (input.sandbox ? ' --sandbox' : '');
  const file = `reelay results ${input.run} --state unconfirmed -o csv --out settle.csv${flag}`;
  const settle = `reelay resolve ${input.run} --from settle.csv${flag}`;
  const column =
    'add a column “resolve” (a publication’s id, `not-published` or `give-up`; for a direct publish that is live: `published`), then:';
  return `<p>All at once:</p>\n${command(file, column)}${command(settle, 'settles them')}\n`;
}
