import { parseRegExpLiteral, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { fitting, isOneCharacter, StepCounter } from './count-steps';

/** A text that grows: what stands before, what is repeated, what stands after. */
interface Attack {
  before: string;
  pump: string;
  after: string;
}

export interface Growth extends Attack {
  /** How many times as many more steps the second doubling took: 2 in linear time, 4 in quadratic. */
  ratio: number;
}

const ALPHABET = [
  'a',
  '0',
  ' ',
  '.',
  '-',
  '/',
  '\\',
  '"',
  "'",
  '\n',
  '\r',
  '\t',
  'A',
  '=',
  ':',
  ',',
  '%',
  '@',
  '<',
  '(',
  'é',
  '\u0001',
];
const ENDS = ['', '\u0001', '"', ' !', '\n'];
/** Fewer repetitions hide what grows behind what each expression costs once. */
const FEWEST = 24;
/** Nothing linear grows like this: the search for a worse input ends. */
const SURE = 3.5;
/** An element repeated at most so many times isn't repeated without a bound. */
const FEW = 20;

/** The input that makes the steps of an expression grow fastest. Inputs are made of what the expression itself repeats. */
export function worstGrowth(expression: RegExp): Growth {
  const counter = new StepCounter(expression);
  const { attacks, bound } = attacksOn(expression);
  const times = Math.max(FEWEST, bound);
  let worst: Growth = { before: '', pump: '', after: '', ratio: 0 };
  for (const attack of attacks) {
    if (worst.ratio >= SURE) break;
    const ratio = growthOf(counter, attack, times);
    if (ratio > worst.ratio) worst = { ...attack, ratio };
  }
  return worst;
}

function growthOf(counter: StepCounter, { before, pump, after }: Attack, times: number): number {
  const count = (repeats: number): number => counter.count(before + pump.repeat(repeats) + after);
  const [once, twice, fourTimes] = [count(times), count(2 * times), count(4 * times)];
  if (fourTimes === Infinity) return Infinity;
  return (fourTimes - twice) / Math.max(1, twice - once);
}

/** `bound` is the largest finite number of repetitions in the expression: only above it does the growth show. */
function attacksOn(expression: RegExp): { attacks: Attack[]; bound: number } {
  const { pattern, flags } = parseRegExpLiteral(expression);
  const repeated: { before: string; pumps: string[] }[] = [];
  let bound = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter: (node) => {
      if (node.max !== Infinity) bound = Math.max(bound, node.max);
      if (node.max > FEW) repeated.push({ before: textBefore(node, flags), pumps: samples(node.element, flags) });
    },
  });
  const attacks = new Map<string, Attack>();
  const add = (attack: Attack): unknown => attack.pump !== '' && attacks.set(JSON.stringify(attack), attack);
  const all = [...new Set(repeated.flatMap(({ pumps }) => pumps))];
  for (const { before, pumps } of repeated) {
    for (const after of ENDS) {
      for (const pump of pumps) {
        add({ before: '', pump, after });
        add({ before, pump, after });
        add({ before: '', pump: before + pump, after });
        for (const other of all) if (other !== pump) add({ before, pump: pump + other, after });
      }
    }
  }
  return { attacks: [...attacks.values()], bound };
}

/** A text that is matched by what stands before a node in its expression. */
function textBefore(node: AST.Node, flags: AST.Flags): string {
  const { parent } = node;
  if (parent === null) return '';
  let before = '';
  if (parent.type === 'Alternative')
    for (const element of parent.elements) {
      if (element === node) break;
      before += shortest(element, flags);
    }
  return textBefore(parent, flags) + before;
}

function samples(element: AST.Element, flags: AST.Flags): string[] {
  if (!isOneCharacter(element)) {
    const alternatives = 'alternatives' in element ? element.alternatives : [];
    return alternatives.map(({ elements }) => elements.map((one) => shortest(one, flags)).join(''));
  }
  const fits = fitting(element, flags);
  if (element.type === 'Character') return [String.fromCodePoint(element.value)];
  return [...new Set([...ALPHABET, ...Array.from(element.raw)])].filter(fits).slice(0, 4);
}

function shortest(element: AST.Element, flags: AST.Flags): string {
  if (element.type === 'Quantifier') return shortest(element.element, flags).repeat(element.min);
  if (element.type === 'Character') return String.fromCodePoint(element.value);
  if (element.type === 'Assertion' || element.type === 'Backreference') return '';
  return samples(element, flags)[0] ?? '';
}
