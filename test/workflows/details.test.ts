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

test('a channel without a row that is due shows what its rows wait for, and never the stand-in for no time', () => {
  const channels = [
    { id: 'a', label: 'Garden', open: 2, sending: 2 },
    { id: 'b', label: 'Kitchen', open: 3, sending: 1 },
    { id: 'c', label: 'Cellar', open: 1, sending: 0 },
    // As an earlier version reported it.
    { id: 'd', label: 'Attic', open: 1 },
  ].map((channel) => ({ ...channel, nextReadyAt: '9999-12-31T23:59:59.000Z', why: null }));
  const details = runDetails(run, { counts: { planned: 7 }, open: 7, channels, notes: [] } as unknown as Parameters<
    typeof runDetails
  >[1]);
  expect(details).not.toContain('9999');
  expect(details.split('\n').filter((line) => /^\| (Garden|Kitchen|Cellar|Attic)/.test(line))).toEqual([
    '| Garden | 2 | being sent |',
    '| Kitchen | 3 | 2 rows wait for a person |',
    '| Cellar | 1 | 1 row waits for a person |',
    '| Attic | 1 | no row is due |',
  ]);
});
