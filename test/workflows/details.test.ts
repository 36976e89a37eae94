import { channelSummary, groupSummary, oneLine, runDetails } from '../../workflows/details';
import { HOSTILE_TEXTS, UNSAFE_ON_A_TERMINAL } from '../support/hostile-text';

const run = { campaign: 'spring', number: 1 };

/** Markdown without what a backslash, then backticks, make plain. */
const active = (markdown: string): string =>
  markdown.replaceAll(/\\[\\|`*_~<>[\]#!]/g, '').replaceAll(/`[^`\n]*`/g, '');

test.each(HOSTILE_TEXTS.map((text) => [text]))('the details of a run show %j as text', (text) => {
  const channel = { id: 1, label: text, open: 2, nextReadyAt: null, why: text, held: text };
  const details = runDetails(run, {
    counts: { failed: 1 },
    open: 1,
    given: [['--columns', text], [`--${text}`]],
    channels: [channel],
    notes: [text],
    problems: [{ row: text, channel: text, state: 'failed', why: text }],
  } as unknown as Parameters<typeof runDetails>[1]);
  expect(details.replaceAll('\n', '')).not.toMatch(UNSAFE_ON_A_TERMINAL);
  expect(active(details)).not.toMatch(/\]\(|<img|!\[/);
  // Backticks only around our own commands and plain words, in pairs.
  expect(active(details)).not.toContain('`');
  for (const [, code] of details.matchAll(/(?<!\\)`([^`\n]*)`/g)) expect(code).toMatch(/^reelay |^[\w .:/=-]+$/);
  expect(details.split('\n').filter((line) => /^(- )?(INJECTED|notify:)/.test(line))).toEqual([]);
});

test('the reason of a row and notes show words in backticks as code', () => {
  const why = 'nothing was found; with `ambiguous: hold` it is | not repeated automatically';
  const watch = { counts: { failed: 1 }, open: 0, channels: [], notes: [why, 'an odd ` and `a|b`'] };
  const details = runDetails(run, {
    ...watch,
    problems: [{ row: '`a`', channel: 'Garden', state: 'failed', why }],
  } as unknown as Parameters<typeof runDetails>[1]);
  const shown = 'nothing was found; with `ambiguous: hold` it is \\| not repeated automatically';
  expect(details).toContain('| \\`a\\` | Garden | failed | ' + shown + ' |');
  expect(details).toContain(`\n- ${shown}`);
  expect(details).toContain('\n- an odd ` and `a\\|b\\`');
});

test.each(HOSTILE_TEXTS.map((text) => [text]))('a summary, which is Markdown too, shows %j as text', (text) => {
  const channel = { id: 1, label: text, open: 2 } as unknown as Parameters<typeof channelSummary>[1];
  for (const summary of [channelSummary(run, channel), groupSummary([text, text]), oneLine(text.repeat(20))]) {
    expect(summary).not.toMatch(UNSAFE_ON_A_TERMINAL);
    expect(active(summary)).not.toMatch(/[`[\]<>*_|]/);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(200);
  }
});
