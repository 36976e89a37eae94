import { ENDPOINTS, FAULT_KINDS, type FaultRule, checkFaultRule } from './fault-rules';
import { SandboxOptionError } from '../problem';

const NUMBERS = new Set(['nth', 'every', 'share', 'times', 'status', 'ms', 'afterMs', 'afterBytes', 'bytesPerSecond']);
const SWITCHES = new Set(['accept', 'early', 'reset', 'drop', 'missing']);
/** A word right after the kind that needs no name: `status 503`, `garbage html`. */
const FIRST_WORD: Record<string, string> = {
  status: 'status',
  'success-status': 'status',
  'cut-answer': 'at',
  'accept-late': 'ms',
  garbage: 'what',
  'show-status': 'value',
  'slow-body': 'bytesPerSecond',
  'slow-answer': 'ms',
  redirect: 'to',
  outcome: 'outcome',
  foreign: 'at',
  'cut-body': 'afterBytes',
};

/**
 * Reads a rule from a line: `[ENDPOINT] [CONDITION=VALUE …] -> KIND [VALUE] [NAME=VALUE …]`, or from JSON.
 *
 * @example
 * parseFaultText('create title="Episode 3" nth=1 -> status 503 accept retry-after=2');
 * parseFaultText('get share=0.1 times=5 -> lost');
 * @throws SandboxOptionError saying which word is wrong and what is known.
 */
export function parseFaultText(text: string): FaultRule {
  const shown = `"${text}"`;
  if (text.trimStart().startsWith('{')) return checkFaultRule(parseJson(text), shown);
  const words = splitWords(text);
  const arrow = words.indexOf('->');
  if (arrow < 0 || words.indexOf('->', arrow + 1) >= 0) {
    throw new SandboxOptionError(
      `Fault rule ${shown} needs one "->" between condition and fault, such as "create nth=2 -> status 503".`,
    );
  }
  const { when, times } = readCondition(words.slice(0, arrow), shown);
  const rule = { when, do: readAction(words.slice(arrow + 1), shown), ...(times === undefined ? {} : { times }) };
  return checkFaultRule(rule, shown);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new SandboxOptionError(`Fault rule "${text}" starts with "{" but is not JSON.`, { cause });
  }
}

/** Splits at spaces; double quotes keep spaces together, `\"` is a quote inside them. A regular expression is one word. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  const pattern = /(?:[^\s"=]+=)?(?:"((?:[^"\\]|\\.)*)"|\/(?:[^/\\]|\\.)+\/[a-z]*(?=\s|$)|[^\s"]+)/g;
  for (const match of text.matchAll(pattern)) {
    const quoted = match[1];
    if (quoted === undefined) words.push(match[0]);
    else words.push(match[0].slice(0, match[0].indexOf('"')) + quoted.replace(/\\(["\\])/g, '$1'));
  }
  return words;
}

function readCondition(words: readonly string[], shown: string): { when: Record<string, unknown>; times: unknown } {
  const when: Record<string, unknown> = {};
  for (const word of words) {
    if ([...ENDPOINTS, 'any'].includes(word)) {
      when['endpoint'] = word;
      continue;
    }
    const [name, value] = readPair(word, shown);
    if (value === undefined) {
      throw new SandboxOptionError(
        `Fault rule ${shown}: "${word}" is neither an endpoint (${ENDPOINTS.join(', ')}, any) nor CONDITION=VALUE.`,
      );
    }
    when[name] = value;
  }
  const { times, ...rest } = when;
  return { when: rest, times };
}

function readAction(words: readonly string[], shown: string): Record<string, unknown> {
  const [kind = '', ...rest] = words;
  if (!(FAULT_KINDS as readonly string[]).includes(kind)) {
    throw new SandboxOptionError(`Fault rule ${shown}: unknown fault "${kind}". Known: ${FAULT_KINDS.join(', ')}.`);
  }
  const action: Record<string, unknown> = { kind };
  for (const [index, word] of rest.entries()) {
    const first = index === 0 ? FIRST_WORD[kind] : undefined;
    const takesWord = first !== undefined && !SWITCHES.has(word) && !/^[A-Za-z-]+=/.test(word);
    const [name, value] = takesWord ? [first, readValue(first, word, shown)] : readPair(word, shown);
    if (value === undefined && !SWITCHES.has(name)) {
      throw new SandboxOptionError(`Fault rule ${shown}: "${word}" needs a value, as ${name}=VALUE.`);
    }
    action[name] = value ?? true;
  }
  if (kind === 'show-status') showStatus(action);
  return action;
}

/** In `show-status null` and `show-status missing` these words are keywords, not texts. */
function showStatus(action: Record<string, unknown>): void {
  if (action['missing'] === true) action['value'] = null;
  if (action['value'] === 'null') action['value'] = null;
}

function readPair(word: string, shown: string): [string, unknown] {
  const at = word.indexOf('=');
  const name = (at < 0 ? word : word.slice(0, at)).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [name, at < 0 ? undefined : readValue(name, word.slice(at + 1), shown)];
}

function readValue(name: string, value: string, shown: string): unknown {
  if (SWITCHES.has(name)) {
    if (value === 'true' || value === 'false') return value === 'true';
    throw new SandboxOptionError(`Fault rule ${shown}: ${name} is true or false, not "${value}".`);
  }
  if (NUMBERS.has(name)) {
    if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
    throw new SandboxOptionError(`Fault rule ${shown}: ${name} is a number, not "${value}".`);
  }
  // Sent as written in any case: "soon" and "-1" are what a test wants to see in the header.
  if (name === 'retryAfter') return value.includes(',') && !value.includes(', ') ? value.split(',') : value;
  return value;
}
