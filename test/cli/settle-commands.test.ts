import { attentionLines, settleCommands } from '../../cli/settle-commands';
import { type AttentionRow } from '../../ledger/types';
import { values } from '../ledger/support';

const place = { run: 'spring.3', sandbox: false };

function row(changes: Partial<AttentionRow> = {}, via: 'publication' | 'direct' = 'direct'): AttentionRow {
  return {
    ...{
      rowId: 1,
      line: 2,
      key: 'ep-1',
      state: 'unconfirmed',
      account: 'main',
      channelId: 'c9',
      channel: 'Garden · short',
    },
    ...{ code: 'direct-unread', message: null, candidates: [], values: values('ep-1', { via }) },
    ...changes,
  };
}

/** What comes after the run's name. */
const decisions = (one: AttentionRow, ambiguous: string[] = [], sandbox = false): string[] =>
  settleCommands(one, { ...place, sandbox }, new Set(ambiguous)).map((text) =>
    text.replace('reelay resolve spring.3 ', ''),
  );

test.each([
  ['a direct publish needs no id', row(), 'ep-1 --published'],
  ['its key may begin with a dash', row({ key: '-x' }), "--published -- '-x'"],
  ['its key may have blanks', row({ key: 'ep 1' }), "'ep 1' --published"],
  ['another row without candidates needs an id', row({}, 'publication'), '--published PUBLICATION_ID ep-1'],
  ['candidates are named', row({ candidates: ['p1', 'p2'] }, 'publication'), '--published p1 ep-1'],
])('the first command that settles a row fits it: %s', (_, one, first) => {
  expect(decisions(one)[0]).toBe(first);
});

test('channel and sandbox stand before the key, so that the flag without an id takes nothing for one', () => {
  expect(decisions(row(), ['ep-1'], true)).toEqual([
    '--channel c9 --sandbox ep-1 --published',
    '--not-published --channel c9 --sandbox ep-1',
    '--give-up --channel c9 --sandbox ep-1',
  ]);
});

test('a person is told that nothing more of a direct publish can be read', () => {
  const shown = { ...row(), title: 'Tour', direct: true, commands: settleCommands(row(), place, new Set()) };
  const text = attentionLines(shown).join('\n');
  expect(text).toContain('nothing more of it can be read');
  expect(text).not.toContain('it is followed');
});
