import { execFileSync } from 'node:child_process';
import { commandText, shellWord } from '../../wording/shell';
import { HOSTILE_TEXTS, UNSAFE_ON_A_TERMINAL } from '../support/hostile-text';

const WORDS = [
  ...HOSTILE_TEXTS,
  'plain',
  'two words',
  "it's",
  'back\\slash',
  '--x;touch owned',
  '-',
  '--',
  '',
  '$(id)',
  'ü',
];

test.each(WORDS.map((word) => [word]))('bash reads the word %j back', (word) => {
  const quoted = shellWord(word);
  expect(quoted).not.toMatch(UNSAFE_ON_A_TERMINAL);
  expect(quoted).not.toMatch(/[\n\t`]/);
  const env = { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' };
  expect(execFileSync('/bin/bash', ['--norc', '-c', `printf %s ${quoted}`], { encoding: 'utf8', env })).toBe(word);
});

test.each(WORDS.map((word) => [word]))('an older shell reads one word of %j', (word) => {
  const script = `set -f; count() { echo $#; }; count ${shellWord(word)}`;
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env: { PATH: '/nonexistent' } })).toBe('1\n');
});

test('what begins like a flag is quoted too, unless it is one', () => {
  expect(commandText(['run', 'a b.csv', '--key=x y', '--keep', '--x;touch owned', '-o', 'json'])).toBe(
    `reelay run 'a b.csv' --key='x y' --keep '--x;touch owned' -o json`,
  );
});
