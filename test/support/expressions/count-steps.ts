import { parseRegExpLiteral, type AST } from '@eslint-community/regexpp';

type Next = (at: number) => boolean;
type Direction = 1 | -1;

/** Beyond it an expression counts as endless. */
export const MOST_STEPS = 1_000_000;

class Endless extends Error {}

/**
 * Counts the steps that a backtracking matcher, such as V8's, takes to find all matches of an expression in an input. A count is the
 * same on every machine, however busy it is, so that its growth says what a clock can't. Infinite above `MOST_STEPS`.
 */
export class StepCounter {
  readonly #pattern: AST.Pattern;
  readonly #flags: AST.Flags;
  readonly #whole: boolean;
  readonly #fits = new Map<AST.Node, (character: string) => boolean>();
  readonly #groups = new Map<AST.CapturingGroup, string>();
  #text = '';
  #steps = 0;

  constructor(expression: RegExp) {
    const { pattern, flags } = parseRegExpLiteral(expression);
    this.#pattern = pattern;
    this.#flags = flags;
    this.#whole = flags.unicode || flags.unicodeSets;
  }

  count(text: string): number {
    this.#text = text;
    this.#steps = 0;
    try {
      for (let from = 0; from <= text.length;) {
        let end = -1;
        this.#groups.clear();
        this.#step();
        this.#any(this.#pattern.alternatives, from, 1, (at) => {
          end = at;
          return true;
        });
        from = Math.max(from + 1, end);
      }
    } catch (error) {
      if (error instanceof Endless) return Infinity;
      throw error;
    }
    return this.#steps;
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) throw new Endless();
  }

  #any(alternatives: readonly AST.Alternative[], at: number, direction: Direction, next: Next): boolean {
    for (const { elements } of alternatives) {
      this.#step();
      if (this.#all(direction === 1 ? elements : [...elements].reverse(), 0, at, direction, next)) return true;
    }
    return false;
  }

  #all(elements: readonly AST.Element[], index: number, at: number, direction: Direction, next: Next): boolean {
    const element = elements[index];
    if (element === undefined) return next(at);
    // The last one needs no call of its own: what is repeated often would use up the stack.
    if (index === elements.length - 1) return this.#element(element, at, direction, next);
    return this.#element(element, at, direction, (end) => this.#all(elements, index + 1, end, direction, next));
  }

  #element(element: AST.Element, at: number, direction: Direction, next: Next): boolean {
    switch (element.type) {
      case 'Group':
        return this.#any(element.alternatives, at, direction, next);
      case 'CapturingGroup':
        return this.#any(element.alternatives, at, direction, (end) => {
          const before = this.#groups.get(element);
          this.#groups.set(element, this.#text.slice(Math.min(at, end), Math.max(at, end)));
          if (next(end)) return true;
          if (before === undefined) this.#groups.delete(element);
          else this.#groups.set(element, before);
          return false;
        });
      case 'Quantifier':
        return this.#repeat(element, at, direction, next);
      case 'Assertion':
        return this.#holds(element, at) && next(at);
      case 'Backreference': {
        const group = [element.resolved].flat()[0];
        const text = group === undefined ? '' : (this.#groups.get(group) ?? '');
        const from = direction === 1 ? at : at - text.length;
        this.#step();
        return this.#text.startsWith(text, from) && next(at + direction * text.length);
      }
      case 'Character':
      case 'CharacterClass':
      case 'CharacterSet':
      case 'ExpressionCharacterClass': {
        const end = this.#one(element, at, direction);
        return end !== -1 && next(end);
      }
    }
  }

  #repeat(element: AST.Quantifier, at: number, direction: Direction, next: Next): boolean {
    const { element: inner, min, max, greedy } = element;
    if (isOneCharacter(inner)) return this.#repeatOne(element, at, direction, next);
    const more = (done: number, from: number): boolean => {
      if (done < min) return this.#element(inner, from, direction, (end) => more(done + 1, end));
      if (!greedy && next(from)) return true;
      if (done < max && this.#element(inner, from, direction, (end) => end !== from && more(done + 1, end)))
        return true;
      return greedy && next(from);
    };
    return more(0, at);
  }

  /** Without a call for each repetition, so that long inputs don't use up the stack. */
  #repeatOne({ element, min, max, greedy }: AST.Quantifier, at: number, direction: Direction, next: Next): boolean {
    const ends = [at];
    const more = (): boolean => {
      const end = ends.length > max ? -1 : this.#one(element, ends.at(-1) ?? at, direction);
      if (end !== -1) ends.push(end);
      return end !== -1;
    };
    while ((greedy || ends.length <= min) && more());
    if (ends.length <= min) return false;
    if (!greedy) {
      do if (next(ends.at(-1) ?? at)) return true;
      while (more());
      return false;
    }
    for (; ends.length > min; ends.pop()) {
      this.#step();
      if (next(ends.at(-1) ?? at)) return true;
    }
    return false;
  }

  #holds(element: AST.Assertion, at: number): boolean {
    this.#step();
    if (element.kind === 'lookahead' || element.kind === 'lookbehind') {
      const direction = element.kind === 'lookahead' ? 1 : -1;
      return this.#any(element.alternatives, at, direction, () => true) !== element.negate;
    }
    const breaks = (index: number): boolean =>
      this.#flags.multiline && /[\n\r\u2028\u2029]/.test(this.#text.charAt(index));
    if (element.kind === 'word') {
      const word = (index: number): boolean => /\w/.test(this.#text.charAt(index));
      return (word(at - 1) !== word(at)) !== element.negate;
    }
    return element.kind === 'start' ? at === 0 || breaks(at - 1) : at === this.#text.length || breaks(at);
  }

  /** Offset after (or before) the one character that the element matches, or -1. */
  #one(element: AST.Element, at: number, direction: Direction): number {
    this.#step();
    const from = direction === 1 ? at : at - 1;
    if (from < 0 || from >= this.#text.length) return -1;
    let character = this.#text.charAt(from);
    if (this.#whole && direction === 1) character = String.fromCodePoint(this.#text.codePointAt(from) ?? 0);
    let fits = this.#fits.get(element);
    if (fits === undefined) this.#fits.set(element, (fits = fitting(element, this.#flags)));
    return fits(character) ? at + direction * character.length : -1;
  }
}

/** Whether a character is matched by an element of one character, remembered by character. */
export function fitting(element: AST.Element, flags: AST.Flags): (character: string) => boolean {
  const expression = new RegExp(`^(?:${element.raw})$`, flags.raw.replace(/[dgmy]/g, ''));
  const known = new Map<string, boolean>();
  return (character) => {
    let fits = known.get(character);
    if (fits === undefined) known.set(character, (fits = expression.test(character)));
    return fits;
  };
}

export function isOneCharacter(element: AST.Element): boolean {
  return ['Character', 'CharacterSet', 'CharacterClass', 'ExpressionCharacterClass'].includes(element.type);
}
