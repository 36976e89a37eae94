import { MAX_JSON_DEPTH, parseJson } from '../../../service/http/json';

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

test('JSON up to the limit of nesting is read', () => {
  expect(JSON.stringify(parseJson(nested(MAX_JSON_DEPTH)))).toBe(nested(MAX_JSON_DEPTH));
  expect(parseJson(`{"a":[${Array(500).fill('[{}]').join(',')}]}`)).toHaveProperty('a.499');
});

test.each([
  ['arrays', nested(MAX_JSON_DEPTH + 1)],
  ['objects', `${'{"a":'.repeat(MAX_JSON_DEPTH + 1)}1${'}'.repeat(MAX_JSON_DEPTH + 1)}`],
  ['two million arrays', nested(2_000_000)],
  ['arrays with a long number', `[1234567890123456789,${nested(MAX_JSON_DEPTH)}]`],
])('deeper %s are refused', (_, text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test.each(['['.repeat(1000), '\\"'.repeat(3) + '[['.repeat(500), '\\\\', '{'.repeat(1000) + '\\"', '"'])(
  'brackets within texts are no nesting: %j',
  (text) => {
    expect(parseJson(JSON.stringify({ text, more: [text] }))).toEqual({ text, more: [text] });
  },
);
