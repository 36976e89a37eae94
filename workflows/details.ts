import { type ChannelBrief, type WatchResult } from '../activities/contract';

/** Ends first, in the order in which people ask for them; a state that is not named here comes last. */
const ORDER: readonly string[] = [
  ...['published', 'drafted', 'submitted', 'failed', 'rejected', 'unconfirmed', 'overdue', 'cancelled'],
  ...['processing', 'creating', 'waiting', 'planned'],
];

/** The current details of a run: a small Markdown table that a person reads in the Web UI. */
export function runDetails(run: { campaign: string; number: number }, watch: WatchResult): string {
  const name = `${run.campaign}.${run.number}`;
  const counts = Object.entries(watch.counts).filter(([, count]) => count > 0);
  const place = (state: string) => (ORDER.includes(state) ? ORDER.indexOf(state) : ORDER.length);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const left = watch.open > 0 ? `${watch.open} of ${total} rows not ended` : `all ${total} rows ended`;
  const lines = [`**${name}** · ${left}`, '', '| state | rows |', '| --- | ---: |'];
  for (const [state, count] of counts.sort(([a], [b]) => place(a) - place(b))) lines.push(`| ${state} | ${count} |`);
  if (watch.channels.length > 0) {
    lines.push('', '| channel | rows left | next |', '| --- | ---: | --- |');
    const held = watch.channels.filter((channel) => channel.held !== undefined);
    const others = watch.channels.filter((channel) => channel.held === undefined);
    // What needs a person comes first.
    for (const channel of [...held, ...others].slice(0, 20)) {
      lines.push(`| ${cell(channel.label)} | ${channel.open} | ${cell(nextOf(channel))} |`);
    }
    if (watch.channels.length > 20) lines.push(`| … and ${watch.channels.length - 20} more | | |`);
  }
  for (const note of watch.notes.slice(0, 10)) lines.push('', `- ${cell(note)}`);
  const commands = ['status', 'results', ...(watch.open > 0 ? ['cancel'] : [])];
  lines.push('', commands.map((command) => `\`reelay ${command} ${name}\``).join(' · '));
  return lines.join('\n');
}

function nextOf({ nextReadyAt, why, held }: ChannelBrief): string {
  if (held !== undefined) return held;
  if (nextReadyAt === undefined || nextReadyAt === null) return 'now';
  const at = nextReadyAt.replace(/\.\d+Z$/u, 'Z');
  return why === undefined || why === null ? at : `${at}, ${why}`;
}

/** One line for the Web UI's lists; at most 200 bytes. */
export function channelSummary(run: { campaign: string; number: number }, channel: ChannelBrief): string {
  return oneLine(`${run.campaign}.${run.number} · ${channel.label} · ${channel.open} rows`);
}

export function groupSummary(labels: readonly string[]): string {
  const [first = '', ...others] = labels;
  return oneLine(others.length === 0 ? first : `${first} … and ${others.length} more`);
}

const MAX_SUMMARY_BYTES = 200;

/** A summary is refused when it is longer than 200 bytes: shorten it by whole characters. */
export function oneLine(text: string): string {
  const flat = text.replace(/\s+/gu, ' ').trim();
  let bytes = 0;
  let kept = '';
  for (const character of flat) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > MAX_SUMMARY_BYTES - 3) return `${kept}…`;
    kept += character;
  }
  return kept;
}

function cell(text: string): string {
  return text.replace(/[\\|`*_<>[\]#]/gu, '\\$&').replace(/\s+/gu, ' ');
}
