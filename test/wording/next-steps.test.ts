import { correctedCommand, type NextFacts, nextSteps } from '../../wording/next-steps';

const FACTS: NextFacts = {
  name: 'spring.3',
  counts: {},
  open: false,
  cancelled: false,
  held: [],
  place: '',
  given: [],
};
const commands = (facts: Partial<NextFacts>): string[] =>
  nextSteps({ ...FACTS, ...facts }).map(({ command }) => command);

test('what comes next follows from the counts', () => {
  expect(commands({ counts: { published: 2 } })).toEqual([]);
  expect(commands({ counts: { failed: 1, overdue: 1 }, open: true, held: ['paused'], place: ' --sandbox' })).toEqual([
    'reelay resume spring.3 --sandbox',
    'reelay watch spring.3 --sandbox',
    'reelay results spring.3 --state failed -o csv --out corrected.csv --sandbox',
    'reelay retry spring.3 --watch --sandbox',
    'reelay results spring.3 --state overdue --sandbox',
  ]);
});

test('a cancelled run suggests nothing that would send its rows again', () => {
  const counts = { cancelled: 3, failed: 1 };
  expect(commands({ counts, cancelled: true })).toEqual([]);
  expect(commands({ counts, cancelled: true, open: true, held: ['paused'] })).toEqual(['reelay watch spring.3']);
  const settle = ['reelay resolve spring.3 --not-published a'];
  expect(commands({ counts: { ...counts, unconfirmed: 1 }, cancelled: true, settle })).toEqual([
    ...settle,
    'reelay results spring.3 --state unconfirmed',
  ]);
});

test('a corrected sheet gets the flags that it needs, as a shell takes them', () => {
  const given = [
    ['--timezone', 'Europe/Berlin'],
    ['--column', '-Clip=source'],
    ['--max-per', '15 per 24h'],
  ] as const;
  expect(correctedCommand('corrected.csv', { given, place: ' --sandbox' })).toBe(
    "reelay run corrected.csv --timezone Europe/Berlin --column='-Clip=source' --max-per '15 per 24h' --sandbox",
  );
});

test('rows that were refused at their import have a command that shows why', () => {
  expect(commands({ counts: { cancelled: 2 }, refused: 2 })).toEqual(['reelay results spring.3 --state cancelled']);
});

test('rows of a workbook are corrected in a workbook', () => {
  const facts = {
    name: 'spring',
    counts: { failed: 1 },
    open: false,
    cancelled: false,
    held: [],
    place: '',
    given: [],
  };
  const [step] = nextSteps({ ...facts, workbook: true });
  expect(step?.command).toBe('reelay results spring --state failed --out corrected.xlsx');
  expect(step?.then).toBe('reelay run corrected.xlsx');
  const [again] = nextSteps({ ...facts, corrected: 'corrected-2.csv' });
  expect([again?.command, again?.then]).toEqual([
    'reelay results spring --state failed -o csv --out corrected-2.csv',
    'reelay run corrected-2.csv',
  ]);
});
