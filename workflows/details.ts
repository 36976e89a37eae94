import { type ChannelBrief, type RunRef, type WatchResult } from '../activities/contract';
import { type Clock, inReaderZone, localTime, NEVER_MS } from '../wording/times';
import { type NextStep, nextSteps } from '../wording/next-steps';

/** Final states first, in the order of interest to people; a state that is not listed comes last. */
const ORDER: readonly string[] = [
  ...['published', 'drafted', 'submitted', 'failed', 'rejected', 'unconfirmed', 'overdue', 'cancelled'],
  ...['processing', 'creating', 'waiting', 'planned'],
];

/** The acknowledgement is all that can ever be known of a direct publish (interface, section 4.8). */
const SUBMITTED = 'submitted (no outcome can be read)';

/** Maximum number of items listed individually. */
const CHANNELS_SHOWN = 20;
const NOTES_SHOWN = 10;

/**
 * The current details of a run, as Markdown for the Web UI: its state, the rows that went wrong, the commands for the
 * next step, then the numbers.
 */
export function runDetails(run: RunRef, watch: WatchResult, sandbox = false): string {
  const name = `${run.campaign}.${run.number}`;
  const { zone = 'UTC' } = watch;
  const now = Date.now();
  const counts = Object.entries(watch.counts).filter(([, count]) => count > 0);
  const place = (state: string) => (ORDER.includes(state) ? ORDER.indexOf(state) : ORDER.length);
  const lines = [`${sandbox ? 'SANDBOX ' : ''}**${name}** · ${verdictOf(watch)}`, ''];
  const problems = watch.problems ?? [];
  if (problems.length > 0) {
    const all = problemCount(watch);
    lines.push('| row that went wrong | channel | state | why |', '| --- | --- | --- | --- |');
    for (const { row, channel, state, why } of problems)
      lines.push(
        `| ${[row, channel, state].map(cell).join(' | ')} | ${prose(inReaderZone(why, { zone, now }, { steady: true }))} |`,
      );
    if (all > problems.length) lines.push(`| … and ${all - problems.length} more | | | |`);
    lines.push('');
  }
  const held = [...new Set(watch.channels.flatMap((channel) => channel.held?.split(' ', 1) ?? []))];
  lines.push('**Next**', '');
  for (const { command, what, then } of stepsFor(name, watch, held, sandbox))
    lines.push(`- \`${command}\` ${what}${then === undefined ? '' : `, then \`${then}\``}`);
  lines.push('', '| state | rows |', '| --- | ---: |');
  for (const [state, count] of counts.sort(([a], [b]) => place(a) - place(b)))
    lines.push(`| ${state === 'submitted' ? SUBMITTED : state} | ${count} |`);
  if ((watch.givenUp ?? 0) > 0)
    lines.push(`| of the cancelled: given up by a person, may be live | ${watch.givenUp} |`);
  if ((watch.differing ?? 0) > 0) lines.push(`| of the published: not as requested | ${watch.differing} |`);
  if (watch.channels.length > 0) {
    lines.push('', `| channel | rows left | next (${cell(zone)}) |`, '| --- | ---: | --- |');
    const closed = watch.channels.filter((channel) => channel.held !== undefined);
    const others = watch.channels.filter((channel) => channel.held === undefined);
    // What needs a person comes first.
    for (const channel of [...closed, ...others].slice(0, CHANNELS_SHOWN)) {
      lines.push(`| ${cell(channel.label)} | ${channel.open} | ${prose(nextOf(channel, { zone, now }))} |`);
    }
    if (watch.channels.length > CHANNELS_SHOWN)
      lines.push(`| … and ${watch.channels.length - CHANNELS_SHOWN} more | | |`);
  }
  for (const note of watch.notes.slice(0, NOTES_SHOWN))
    lines.push('', `- ${prose(inReaderZone(note, { zone, now }, { steady: true }))}`);
  return lines.join('\n');
}

/** The result of an ended run besides its counts: only if something went wrong. */
export function runProblems(
  run: RunRef,
  watch: WatchResult,
  sandbox: boolean,
): { wrong?: number; problems?: string[]; next?: string[] } {
  const problems = (watch.problems ?? []).map(
    ({ row, channel, state, why }) => `${row} (${channel}): ${state}${why === '' ? '' : `, ${why}`}`,
  );
  if (problems.length === 0) return {};
  const name = `${run.campaign}.${run.number}`;
  const steps = stepsFor(name, { ...watch, open: 0 }, [], sandbox);
  return { wrong: problemCount(watch), problems, next: steps.map((step) => step.command) };
}

const FAILURE_ROWS = 3;

/** Why a run that has ended counts as failed: how many rows, the first of them, and what to do. */
export function failureText(result: {
  run: string | null;
  counts: WatchResult['counts'];
  wrong?: number;
  problems?: string[];
  next?: string[];
}): string {
  const { run, counts, wrong = 0, problems = [], next = [] } = result;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const shown = problems.slice(0, FAILURE_ROWS);
  const more = wrong > shown.length ? `; and ${wrong - shown.length} more` : '';
  const then = next[0] === undefined ? '' : `. Next: ${next[0]}`;
  return `${run ?? ''}: ${wrong} of ${total} rows went wrong: ${shown.join('; ')}${more}${then}`;
}

/** Whether a failure's message is such a text: a result, not a fault of the program. */
export function isFailureText(message: string): boolean {
  return /^[a-z0-9._-]+\.\d+: \d+ of \d+ rows went wrong: /.test(message);
}

/** The next commands that are shown everywhere, plus those for people who may not know them yet. */
function stepsFor(name: string, watch: WatchResult, held: readonly string[], sandbox: boolean): NextStep[] {
  const { counts, open, unchanged = 0, differing = 0, cancelled = false, given = [] } = watch;
  const place = sandbox ? ' --sandbox' : '';
  const steps = nextSteps({ name, counts, open: open > 0, cancelled, held, place, given, unchanged, differing });
  steps.push({ command: `reelay results ${name}${place}`, what: 'shows every row' });
  if (open > 0 && !cancelled) steps.push({ command: `reelay cancel ${name}${place}`, what: 'stops sending' });
  return steps;
}

function verdictOf(watch: WatchResult): string {
  const { counts, open, channels } = watch;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = [open > 0 ? `${open} of ${total} rows not ended` : `all ${total} rows ended`];
  const wrong = problemCount(watch);
  if (wrong > 0) parts.push(`**${wrong} went wrong**`);
  const parked = channels.filter((channel) => channel.held?.startsWith('parked')).length;
  if (parked > 0) parts.push(`**${parked} ${parked === 1 ? 'channel' : 'channels'} parked**`);
  return parts.join(' · ');
}

function problemCount({
  counts,
  unchanged = 0,
  differing = 0,
}: Pick<WatchResult, 'counts' | 'unchanged' | 'differing'>): number {
  return (['failed', 'rejected', 'unconfirmed', 'overdue'] as const).reduce(
    (sum, one) => sum + (counts[one] ?? 0),
    unchanged + differing,
  );
}

function nextOf({ open, sending, nextReadyAt, why, held }: ChannelBrief, clock: Clock): string {
  if (held !== undefined) return inReaderZone(held, clock, { steady: true });
  if (nextReadyAt === undefined || nextReadyAt === null) return why ?? 'now';
  if (Date.parse(nextReadyAt) >= NEVER_MS) {
    // Briefs of earlier versions don't say it.
    if (sending === undefined) return 'no row is due';
    const waiting = open - sending;
    if (waiting > 0) return waiting === 1 ? '1 row waits for a person' : `${waiting} rows wait for a person`;
    return 'being sent';
  }
  // The duration would be wrong a minute later: details are rewritten only when something changes.
  const at = localTime(nextReadyAt, clock);
  return why === undefined || why === null ? at : `${at}, ${why}`;
}

/** One line for the Web UI's lists; at most 200 bytes. */
export function channelSummary(run: RunRef, channel: ChannelBrief): string {
  return oneLine(
    `${run.campaign}.${run.number} · ${channel.label} · ${channel.open} ${channel.open === 1 ? 'row' : 'rows'}`,
  );
}

export function groupSummary(labels: readonly string[]): string {
  const [first = '', ...others] = labels;
  return oneLine(others.length === 0 ? first : `${first} … and ${others.length} more`);
}

const MAX_SUMMARY_BYTES = 200;

/**
 * Plain text as a summary, which the Web UI renders as Markdown. A summary longer than 200 bytes is refused, so it is
 * cut between characters, counting the backslashes they need.
 */
export function oneLine(text: string): string {
  let bytes = 0;
  let kept = '';
  for (const character of flat(text)) {
    const escaped = escapeMarkdown(character);
    const code = character.codePointAt(0) ?? 0;
    bytes += escaped.length - character.length + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
    if (bytes > MAX_SUMMARY_BYTES - 3) return `${kept}…`;
    kept += escaped;
  }
  return kept;
}

function cell(text: string): string {
  return escapeMarkdown(flat(text));
}

/** The same for a sentence in which words between backticks are code. */
function prose(text: string): string {
  return flat(text)
    .split(/(`[\w .:/=-]+`)/u)
    .map((part, at) => (at % 2 === 1 ? part : escapeMarkdown(part)))
    .join('');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\|`*_~<>[\]#!]/gu, '\\$&');
}

/** On one line, without control and format characters that hide or reorder the text around them. */
function flat(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\s]+/gu, ' ')
    .trim();
}
