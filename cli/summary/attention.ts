import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { type RunInfo } from '../../ledger/model/types';
import { placeFlags } from '../terminal/texts/command-text';
import { printCommand } from '../terminal/texts/next-lines';
import { type Output } from '../terminal/output';
import { plural, safeText } from '../terminal/safe-text';
import {
  ambiguousKeys,
  attentionLines,
  idsCommand,
  RESOLVE_CELL,
  settleCommands,
  type ShownAttention,
} from './settle-commands';

/** Maximum number of rows shown individually; the rest is counted. */
const SHOWN = 5;

/** The first rows that need a person, with the commands that settle them. */
export async function attentionOf(
  ledger: ReadingLedger & RunningLedger,
  info: RunInfo,
  sandbox: boolean,
): Promise<{ shown: ShownAttention[]; total: number }> {
  const rows = await ledger.needsPerson(info);
  const keys = ambiguousKeys(rows);
  const place = { run: `${info.campaign}.${String(info.number)}`, sandbox };
  const shown = rows.slice(0, SHOWN).map((row) => ({
    line: row.line,
    file: row.file,
    key: row.key,
    state: row.state,
    channel: row.channel,
    title: row.values.title,
    code: row.code,
    message: row.message,
    candidates: row.candidates,
    direct: row.values.via === 'direct',
    ids: idsCommand(row, place),
    commands: settleCommands(row, place, keys),
  }));
  return { shown, total: rows.length };
}

/** Shows a person what has to be decided. `run`: `spring.3`. */
export function printAttention(
  output: Output,
  run: string,
  attention: { shown: readonly ShownAttention[]; total: number },
  sandbox: boolean,
): void {
  const { shown, total } = attention;
  if (total === 0) return;
  output.note(
    `${output.paint('yellow', plural(total, 'row'))} ${total === 1 ? 'needs' : 'need'} a person. Check the channel, then use one of the commands:`,
  );
  const local = (text: string): string => output.local(text);
  for (const row of shown) for (const line of attentionLines(row, local)) output.note(line);
  if (total <= shown.length) return;
  const flag = placeFlags(sandbox);
  output.note(`… and ${plural(total - shown.length, 'more row')}. All at once:`);
  printCommand(output, `reelay results ${run} --state unconfirmed -o csv --out settle.csv${flag}`);
  output.note(`      add a column “resolve” (${RESOLVE_CELL}), then:`);
  printCommand(output, `reelay resolve ${run} --from settle.csv${flag}`);
}

/** Rows whose late answer arrived after their run had ended. */
export async function printUnfollowed(input: {
  output: Output;
  ledger: ReadingLedger & RunningLedger;
  info: RunInfo;
  sandbox: boolean;
}): Promise<void> {
  const { output, ledger, info, sandbox } = input;
  const left = await ledger.unfollowed(info.campaign);
  if (left === 0) return;
  const message =
    `${plural(left, 'row')} of ${info.campaign} got a late answer after ${left === 1 ? 'its' : 'their'} run had ended, and no run follows ${left === 1 ? 'it' : 'them'}: ` +
    `\`reelay retry ${info.campaign}${placeFlags(sandbox)}\`, or the next submit, does`;
  await output.event({ event: 'notice', code: 'late-answers', message });
  output.warn(message);
}

/** Outcomes that can't be recorded: what the service created may be live without a row. */
export async function printQuarantine(output: Output, spoolFolder: string): Promise<void> {
  const { quarantinedFiles } = await import('../../activities/publish/spool/quarantine.js');
  for (const { path, reason } of await quarantinedFiles(spoolFolder)) {
    const message = `${path}: this outcome of a create could not be recorded: ${reason}`;
    await output.event({ event: 'notice', code: 'spool-quarantine', message });
    output.warn(`${safeText(message)}. ${QUARANTINE_FIX}`);
  }
}

/** What to do about such a file. */
export const QUARANTINE_FIX =
  'Read the file: a publication it names exists at the service (`reelay publications show ID`). Delete the file once that is settled.';
