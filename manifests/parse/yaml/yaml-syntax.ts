import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type LineCounter,
  type Node,
  Parser,
} from 'yaml';
import { type ProblemList } from '../../problems/problems';

/** Levels of nesting; a manifest has five. */
const MAX_DEPTH = 200;
/** Characters of a repeated text that cost about as much as a node. */
const CHARACTERS_OF_NODE = 16;

/**
 * Always by the rules of YAML 1.2, even below a `%YAML 1.1`, where `1:30` would be a number and `<<` not a text. Merges
 * are handled by the reader of mappings; tags are refused.
 */
export function parseAll(text: string, lines: LineCounter, problems: ProblemList): readonly Document[] | undefined {
  const tokens: CST.Token[] = [];
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    // Parser and composer recurse for each level, until the stack overflows.
    if (parser.stack.length > MAX_DEPTH) {
      const message = `The YAML is nested more than ${MAX_DEPTH} levels deep.`;
      problems.add({ code: 'yaml-shape', at: { line: lines.linePos(parser.offset).line, column: null }, message });
      return undefined;
    }
  }
  tokens.push(...parser.end());
  const options = { uniqueKeys: false, version: '1.2', schema: 'core', resolveKnownTags: false } as const;
  return [...new Composer(options).compose(tokens)];
}

/** The cost of following an alias, in nodes. */
export function weightOf(node: Node | null): number {
  if (isScalar(node)) return 1 + String(node.value).length / CHARACTERS_OF_NODE;
  return isMap(node) || isSeq(node) ? 1 + node.items.length : 1;
}

/**
 * Space characters that YAML doesn’t accept as indentation; they come with text that was pasted from a web page or a
 * word processor.
 */
export const STRANGE_INDENT = /^[ -]*[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gm;

/** Of the lines that are listed. */
const LINES_SHOWN = 5;

export function tellStrangeIndent(lines: readonly number[], problems: ProblemList): void {
  const [line = null] = lines;
  const shown = lines.slice(0, LINES_SHOWN).join(', ');
  const which =
    lines.length === 1 ? `Line ${shown} is` : `Lines ${shown}${lines.length > LINES_SHOWN ? ', …' : ''} are`;
  const message = `${which} indented with non-breaking or other special spaces, which YAML takes for text.`;
  const hint = 'Replace them with plain spaces; they come with text pasted from a web page or a word processor.';
  problems.add({ code: 'yaml-syntax', at: { line, column: null }, message, hint });
}

export function syntaxHint(code: string, message: string): { hint?: string } {
  if (code === 'BAD_DQ_ESCAPE')
    return {
      hint: "In double quotes a backslash has a meaning of its own: use single quotes, as in 'C:\\clips\\a.mp4'.",
    };
  if (code === 'TAB_AS_INDENT') return { hint: 'Replace the tab with spaces; YAML allows no tabs for indentation.' };
  if (code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_AS_IMPLICIT_KEY')
    return { hint: 'Put quotes around a value that contains “: ”.' };
  if (/reserved character|directive indicator|at node end/.test(message))
    return { hint: 'Put quotes around a value that starts with a character such as @, %, *, ` or ".' };
  return {};
}
