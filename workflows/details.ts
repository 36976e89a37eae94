import { type ChannelBrief, type WatchResult } from '../activities/contract';

/** The current details of a run: a small Markdown table that a person reads in the Web UI. */
export function runDetails(run: { campaign: string; number: number }, watch: WatchResult): string {
  const name = `${run.campaign}.${run.number}`;
  const lines = [`**${name}**`, '', '| state | rows |', '| --- | ---: |'];
  for (const [state, count] of Object.entries(watch.counts)) {
    if (count > 0) lines.push(`| ${state} | ${count} |`);
  }
  if (watch.channels.length > 0) {
    lines.push('', '| channel | rows left | next |', '| --- | ---: | --- |');
    for (const channel of watch.channels.slice(0, 20)) {
      lines.push(`| ${cell(channel.label)} | ${channel.open} | ${cell(nextOf(channel))} |`);
    }
    if (watch.channels.length > 20) lines.push(`| … and ${watch.channels.length - 20} more | | |`);
  }
  for (const note of watch.notes.slice(0, 10)) lines.push('', `- ${cell(note)}`);
  lines.push('', `\`reelay status ${name}\` · \`reelay results ${name}\` · \`reelay cancel ${name}\``);
  return lines.join('\n');
}

function nextOf({ nextReadyAt, why }: ChannelBrief): string {
  if (nextReadyAt === undefined || nextReadyAt === null) return 'now';
  return why === undefined || why === null ? nextReadyAt : `${nextReadyAt}, ${why}`;
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
