import { isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { type ProblemList } from '../../problems/problems';
import { type Cell, type ValueLevel } from '../../raw-row';
import { showValue } from '../../text';
import { type YamlDocument, type YamlEntry } from './yaml-document';

/** Words that some YAML readers take for yes and no: as a text they need quotes, so that the meaning is clear. */
const SWITCH_WORDS = /^(yes|no|on|off|y|n|true|false)$/i;
/** Fields whose text may contain a `#`. */
const FREE_TEXT = /^(title|description|key|source|profile)(\.|$)/;
const STR_TAG = 'tag:yaml.org,2002:str';
const MAX_NESTED_TEXT = 10_000;

export interface YamlCellInput {
  document: YamlDocument;
  entry: YamlEntry;
  slot: string;
  level: ValueLevel;
  problems: ProblemList;
}

/** A field's value as a cell; null when blank, undefined after an error. */
export function yamlCell(input: YamlCellInput): Cell | null | undefined {
  const { document, entry, slot, level, problems } = input;
  const node = document.resolve(entry.value);
  const at = entry.at;
  if (node === null) {
    if (entry.value === null) return null;
    refuseAlias(input);
    return undefined;
  }
  if (isSeq(node)) {
    if (slot === 'platform') return platformList(input, node.items as (Node | null)[]);
    refuseShape(input, 'a list');
    return undefined;
  }
  if (!isScalar(node)) {
    refuseShape(input, 'a mapping');
    return undefined;
  }
  if (!checkComment(input, node) || !checkMarks(input, node)) return undefined;
  if (isBlankScalar(node)) return null;
  // "C:\new\take.mp4" has a line break and a tab in it.
  if (slot === 'source' && node.type === 'QUOTE_DOUBLE' && /[\u0000-\u001f\u0085]/.test(String(node.value))) {
    const message = 'The path has a control character in it: in double quotes, a backslash and a letter stand for one.';
    const hint = "Use single quotes, as in 'C:\\clips\\a.mp4'.";
    problems.add({ code: 'bad-character', at, value: String(node.value), message, hint });
    return undefined;
  }
  if (slot === 'skip') return skipCell(input, node);
  const isTaggedText = node.type !== 'PLAIN' || node.tag === STR_TAG;
  if (typeof node.value === 'string' && (isTaggedText || !SWITCH_WORDS.test(node.value))) {
    return node.value.trim() === '' ? null : { text: node.value, at, level };
  }
  const source = node.source ?? String(node.value);
  const message = `“${showValue(entry.name)}” is a text, but ${showValue(source)} without quotes is ${readAs(node.value)} in YAML.`;
  problems.add({ code: 'not-text', at, value: source, message, hint: `Put quotes around it: "${showValue(source)}".` });
  return undefined;
}

/** The value as the user's own text, for the results; undefined if aliases make it too large. */
export function yamlText(document: YamlDocument, value: Node | null): string | undefined {
  const node = document.resolve(value);
  if (node === null) return '';
  if (isScalar(node)) return typeof node.value === 'string' ? node.value : (node.source ?? '');
  if (isSeq(node) && node.items.every((item) => isScalar(item))) {
    return node.items.map((item) => item.source ?? String(item.value)).join('|');
  }
  const plain = document.toPlain(node);
  return plain === undefined ? undefined : JSON.stringify(plain).slice(0, MAX_NESTED_TEXT);
}

/** “title: &Friends forever” is the text “forever” to YAML, “title: ! Now” the text “Now”. */
function checkMarks({ document, entry, slot, problems }: YamlCellInput, node: Scalar): boolean {
  if (!FREE_TEXT.test(slot) || entry.value !== node) return true;
  const anchored = node.anchor !== undefined && !document.isAliased(node);
  if (!anchored && node.tag !== '!') return true;
  const mark = anchored ? `&${node.anchor ?? ''}` : '!';
  const takes = anchored ? 'the name of an anchor, which nothing uses' : 'a tag';
  problems.add({
    code: anchored ? 'yaml-alias' : 'yaml-tag',
    at: entry.at,
    value: mark,
    message: `“${showValue(entry.name)}” starts with ${showValue(mark)}, which YAML takes for ${takes}.`,
    hint: 'Put quotes around the whole value if it belongs to the text; else remove it.',
  });
  return false;
}

/** Reports a value that a `#` has truncated or emptied. False after an error. */
export function checkComment(
  { entry, slot, problems }: Omit<YamlCellInput, 'document' | 'level'>,
  node: Scalar,
): boolean {
  const comment = node.comment ?? '';
  if (node.type !== 'PLAIN' || comment === '') return true;
  const first = comment.split('\n')[0] ?? '';
  const at = entry.at;
  const value = `#${first}`;
  if (isBlankScalar(node)) {
    // “title:  # later” is a comment; “tags: #garden” was meant as the value.
    if (/^\s/.test(first)) {
      if (FREE_TEXT.test(slot)) {
        const message = `“${showValue(entry.name)}” is empty: ${showValue(value)} is a comment to YAML.`;
        problems.add({ code: 'comment-cuts-value', at, value, message });
      }
      return true;
    }
    const message = `“${showValue(entry.name)}” is empty: ${showValue(value)} is a comment to YAML.`;
    problems.add({
      code: 'comment-cuts-value',
      severity: 'error',
      at,
      value,
      message,
      hint: 'Put quotes around the value.',
    });
    return false;
  }
  if (FREE_TEXT.test(slot)) {
    const message = `“${showValue(entry.name)}” ends before ${showValue(value)}, which is a comment to YAML: it is “${showValue(String(node.value))}”.`;
    problems.add({ code: 'comment-cuts-value', at, value, message });
  }
  return true;
}

function platformList(input: YamlCellInput, items: (Node | null)[]): Cell | null | undefined {
  const list: string[] = [];
  for (const item of items) {
    const node = input.document.resolve(item);
    if (!isScalar(node) || typeof node.value !== 'string') {
      refuseShape(input, 'a list with something else than names in it');
      return undefined;
    }
    list.push(node.value);
  }
  return list.length === 0 ? null : { text: list.join('|'), list, at: input.entry.at, level: input.level };
}

function skipCell(input: YamlCellInput, node: Scalar): Cell | undefined {
  const { entry, level, problems } = input;
  const text = node.source ?? String(node.value);
  if (node.type === 'PLAIN' && /^(true|false|yes|no)$/i.test(text)) return { text, at: entry.at, level };
  const message = `skip is ${node.type === 'PLAIN' ? '' : 'the text '}“${showValue(text)}”, neither yes nor no.`;
  problems.add({
    code: 'bad-skip',
    at: entry.at,
    value: text,
    message,
    hint: 'Write skip: yes or skip: no, without quotes.',
  });
  return undefined;
}

function refuseShape({ entry, problems }: YamlCellInput, what: string): void {
  problems.add({
    code: 'yaml-shape',
    at: entry.at,
    message: `“${showValue(entry.name)}” takes one value, not ${what}.`,
  });
}

function refuseAlias({ entry, problems }: YamlCellInput): void {
  problems.add({
    code: 'yaml-alias',
    at: entry.at,
    message: `The alias of “${showValue(entry.name)}” names no anchor above it.`,
    hint: 'Put quotes around the value if its * belongs to the text; else let it name an anchor above.',
  });
}

function isBlankScalar(node: Scalar): boolean {
  return node.value === null && (node.source ?? '') === '';
}

function readAs(value: unknown): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return 'a yes or no to many readers';
  return typeof value === 'boolean' ? 'a yes or no' : 'a number';
}
