import { type RowState } from '../ledger/states';
import { sayAttention } from './attention';
import { type Output } from './output';
import { sayProblems } from './problem-lines';
import { thousands } from './safe-text';
import { STATE_ORDER, STATE_WORDS } from './state-words';
import { lostText } from './standing';
import { type Summary } from './summary';

/**
 * Answers with a summary: JSON, or a table of outcomes with what to do next. `uiEnds`: the Web UI is an embedded one,
 * which is stopped together with the command that started it.
 */
export async function showSummary(
  summary: Summary,
  output: Output,
  sandbox: boolean,
  { uiEnds = false } = {},
): Promise<void> {
  if (!output.isText) {
    await output.json(summary);
    return;
  }
  const { run, state, counts, total } = summary;
  const good = (['published', 'drafted', 'submitted'] as const).reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  output.note(
    `${sandbox ? 'SANDBOX ' : ''}${output.paint('bold', run.id)} ${state}: ${thousands(good)} of ${thousands(total)} rows ended as asked`,
  );
  const rows = STATE_ORDER.filter((one) => (counts[one] ?? 0) > 0);
  await output.table<RowState>(rows, [
    { title: 'STATE', value: (row) => row },
    { title: 'ROWS', value: (row) => counts[row] ?? 0, align: 'right' },
    { title: 'MEANING', value: (row) => STATE_WORDS[row].meaning, shrink: true },
  ]);
  const whileUp = uiEnds ? ' (while a run or `reelay up` is on)' : '';
  if (run.web_ui !== null) output.note(`Web UI${whileUp}: ${run.web_ui}`);
  const lost = lostText({ lost: summary.lost_answers, goOn: state === 'unattended' ? [] : null });
  if (lost !== null) output.note(output.paint('yellow', lost));
  sayProblems(output, summary.problems, counts);
  sayAttention(output, run.id, { shown: summary.needs_person.rows, total: summary.needs_person.total }, sandbox);
  // Those that settle a row have been told with it.
  const told = new Set(summary.needs_person.rows.flatMap((row) => row.commands));
  for (const command of summary.next) if (!told.has(command)) output.note(`Next: ${command}`);
}
