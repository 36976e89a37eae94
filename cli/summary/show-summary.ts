import { type RowState } from '../../ledger/model/states';
import { printAttention } from './attention';
import { safeText } from '../terminal/safe-text';
import { printNext } from '../terminal/texts/next-lines';
import { type Output } from '../terminal/output';
import { printProblems } from '../terminal/texts/problem-lines';
import {
  DIFFERS_MEANING,
  GIVEN_UP_MEANING,
  STATE_ORDER,
  STATE_WORDS,
  UNCHANGED_MEANING,
} from '../terminal/texts/state-words';
import { troubleText } from '../../wording/account-trouble';
import { leftOutLines } from './left-out';
import { lostText } from './run-liveness';
import { type Summary } from './summary';
import { correctionLines, nameOf, notRetriedText, sinceText, verdictText } from './verdict';

/**
 * Prints a summary: JSON, or a table of outcomes with the next steps. `uiEnds`: the Web UI is an embedded one, which
 * stops together with the command that started it.
 */
export async function showSummary(
  summary: Summary,
  output: Output,
  sandbox: boolean,
  { uiEnds = false }: { uiEnds?: boolean } = {},
): Promise<void> {
  if (!output.isText) {
    await output.json(summary);
    return;
  }
  const { run, state, counts } = summary;
  const name = nameOf(summary);
  const verdict = verdictText(summary).slice(name.length);
  await output.lines([`${sandbox ? 'SANDBOX ' : ''}${output.paint('bold', name, 'out')}${verdict}`]);
  await output.table(linesOf(summary), [
    { title: 'STATE', value: (line) => line.state },
    { title: 'ROWS', value: (line) => line.rows, align: 'right' },
    { title: 'MEANING', value: (line) => line.meaning, shrink: true },
  ]);
  const since = sinceText(summary);
  if (since !== null) output.note(since);
  const notRetried = notRetriedText(summary);
  if (notRetried !== null) output.note(notRetried);
  for (const line of correctionLines(summary)) output.note(line);
  for (const line of leftOutLines(summary.left_out.files)) output.note(`${line}.`);
  for (const line of leftOutLines(summary.left_out_earlier.files))
    output.note(`Still missing from campaign ${safeText(run.campaign)}: ${line}.`);
  const whileUp = uiEnds ? ' (while a run or `reelay up` is running)' : '';
  if (run.web_ui !== null) output.note(`Web UI${whileUp}: ${run.web_ui}`);
  const lost = lostText({ lost: summary.lost_answers, goOn: state === 'no-worker' ? [] : null });
  if (lost !== null) output.note(output.paint('yellow', output.local(lost)));
  for (const { next_at: nextAt, ...trouble } of summary.account_troubles)
    output.warn(output.local(safeText(troubleText({ ...trouble, nextAt }, state !== 'no-worker'))));
  printProblems(output, summary.problems, counts, summary.unchanged_drafts + summary.published_differs);
  printAttention(output, run.id, { shown: summary.needs_person.rows, total: summary.needs_person.total }, sandbox);
  // Commands that settle a row have been shown with the row.
  const shownCommands = new Set(summary.needs_person.rows.flatMap((row) => row.commands));
  const steps = summary.next_steps.filter(({ command }) => !shownCommands.has(command));
  printNext(output, steps);
}

interface Line {
  state: RowState;
  rows: number;
  meaning: string;
}

/**
 * One line per state. Cancelled rows that may be live, drafts that could not be changed, and rows that are live but not
 * as requested have separate lines.
 */
function linesOf({
  counts,
  given_up: givenUp,
  unchanged_drafts: unchanged,
  published_differs: differs,
}: Summary): Line[] {
  const apart: Partial<Record<RowState, [rows: number, meaning: string]>> = {
    cancelled: [givenUp, GIVEN_UP_MEANING],
    drafted: [unchanged, UNCHANGED_MEANING],
    published: [differs, DIFFERS_MEANING],
  };
  return STATE_ORDER.flatMap((state) => {
    const [rows, meaning] = apart[state] ?? [0, ''];
    return [
      { state, rows: (counts[state] ?? 0) - rows, meaning: STATE_WORDS[state].meaning },
      { state, rows, meaning },
    ];
  }).filter(({ rows }) => rows > 0);
}
