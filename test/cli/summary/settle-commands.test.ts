import { attentionLines, idsCommand, settleCommands } from '../../../cli/summary/settle-commands';
import { type AttentionRow } from '../../../ledger/model/result-types';
import { values } from '../../ledger/support';

const place = { run: 'spring.3', sandbox: false };

function row(changes: Partial<AttentionRow> = {}, via: 'publication' | 'direct' = 'direct'): AttentionRow {
  return {
    ...{
      rowId: 1,
      line: 2,
      file: null,
      key: 'ep-1',
      state: 'unconfirmed',
      account: 'main',
      channelId: 'c9',
      channel: 'Garden · short',
    },
    ...{
      code: 'direct-unread',
      message: null,
      candidates: [],
      values: values('ep-1', { via }),
      attempts: 1,
      isAttemptOver: true,
    },
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
  ['another row without candidates needs an id', row({}, 'publication'), 'ep-1 --published PUBLICATION_ID'],
  ['candidates are named', row({ candidates: ['p1', 'p2'] }, 'publication'), 'ep-1 --published p1'],
])('the first command that settles a row fits it: %s', (_, one, first) => {
  expect(decisions(one)[0]).toBe(first);
});

test('channel and sandbox come before the key, so that the flag without an id takes nothing for one', () => {
  expect(decisions(row(), ['ep-1'], true)).toEqual([
    "ep-1 --published --channel 'Garden · short' --sandbox",
    "ep-1 --not-published --channel 'Garden · short' --sandbox",
    "ep-1 --give-up --channel 'Garden · short' --sandbox",
  ]);
});

test('the explanation says that the outcome of a direct publish can’t be read', () => {
  const shown = { ...row(), title: 'Tour', direct: true, ids: null, commands: settleCommands(row(), place, new Set()) };
  const text = attentionLines(shown).join('\n');
  expect(text).toContain('no outcome can be read');
  expect(text).not.toContain('it is followed');
});

test('a row whose publication’s id is asked for says where such ids are found', () => {
  const one = row({ account: 'studio' }, 'publication');
  const ids = idsCommand(one, place);
  expect(ids).toBe('reelay publications list --account studio --profile Garden --platform platform_b');
  expect(idsCommand(one, { ...place, sandbox: true })).toBe(
    'reelay publications list --profile Garden --platform platform_b --sandbox',
  );
  const commands = settleCommands(one, place, new Set());
  expect(attentionLines({ ...one, title: 'Tour', direct: false, ids, commands }).join('\n')).toContain(
    `\n  ${String(ids)}\n      lists the publications`,
  );
  // One that names its candidates, or needs no id, asks for none.
  expect(idsCommand(row({ candidates: ['p1'] }, 'publication'), place)).toBeNull();
  expect(idsCommand(row(), place)).toBeNull();
});
