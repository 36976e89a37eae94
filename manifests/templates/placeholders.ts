import { type Temporal } from '@js-temporal/polyfill';
import { showValue } from '../text';

/** What is wrong with a template; `character` counts from 1. */
export interface TemplateFault {
  message: string;
  character: number;
}

/** Returns a placeholder's value, given the text after its colon, or what is wrong with that. */
export type Placeholder = (format: string | null) => string | { fault: string };

export interface Expanded {
  text: string;
  /** Names of the placeholders in it. */
  used: ReadonlySet<string>;
}

/** Substitutes values for `{name}` and `{name:format}`; `{{` and `}}` are literal braces. */
export function expandPlaceholders(
  template: string,
  values: Readonly<Record<string, Placeholder>>,
): Expanded | TemplateFault {
  let text = '';
  const used = new Set<string>();
  for (let at = 0; at < template.length;) {
    const char = template.charAt(at);
    const twice = template.charAt(at + 1) === char;
    if (char !== '{' && char !== '}') {
      text += char;
      at += 1;
      continue;
    }
    if (twice) {
      text += char;
      at += 2;
      continue;
    }
    const fault = (message: string): TemplateFault => ({
      message,
      character: Array.from(template.slice(0, at)).length + 1,
    });
    if (char === '}') return fault('a “}” without its “{”; write a literal one as }}');
    const end = template.indexOf('}', at);
    if (end < 0) return fault('a “{” that is never closed; write a literal one as {{');
    const [name = '', ...rest] = template.slice(at + 1, end).split(':');
    const value = Object.hasOwn(values, name.trim()) ? values[name.trim()] : undefined;
    if (value === undefined) {
      const known = Object.keys(values).map((one) => `{${one}}`);
      return fault(`“{${showValue(name, 40)}}” isn’t a placeholder here; there is ${known.join(', ')}`);
    }
    const given = value(rest.length === 0 ? null : rest.join(':'));
    if (typeof given !== 'string') return fault(given.fault);
    text += given;
    used.add(name.trim());
    at = end + 1;
  }
  return { text, used };
}

export function isTemplateFault(result: Expanded | TemplateFault): result is TemplateFault {
  return 'message' in result;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

type Part = (date: Temporal.PlainDateTime) => string;

const two = (value: number): string => String(value).padStart(2, '0');

const PARTS: Readonly<Record<string, Part>> = {
  yyyy: ({ year }) => String(year).padStart(4, '0'),
  yy: ({ year }) => two(year % 100),
  MMMM: ({ month }) => MONTHS[month - 1] ?? '',
  MMM: ({ month }) => (MONTHS[month - 1] ?? '').slice(0, 3),
  MM: ({ month }) => two(month),
  M: ({ month }) => String(month),
  dd: ({ day }) => two(day),
  d: ({ day }) => String(day),
  EEEE: ({ dayOfWeek }) => WEEKDAYS[dayOfWeek - 1] ?? '',
  EEE: ({ dayOfWeek }) => (WEEKDAYS[dayOfWeek - 1] ?? '').slice(0, 3),
  HH: ({ hour }) => two(hour),
  mm: ({ minute }) => two(minute),
};

const DEFAULT_FORMAT = 'yyyy-MM-dd';

/** A date for a placeholder: `yyyy-MM-dd` and so on; other letters are in single quotes. */
export function datePlaceholder(date: Temporal.PlainDateTime): Placeholder {
  return (format) => {
    const asked = format ?? DEFAULT_FORMAT;
    if (asked.trim() === '') return { fault: 'a date without its format; write {date:yyyy-MM-dd}' };
    let text = '';
    if (/mm/.test(asked) && /y|d/.test(asked) && !/[HM]/.test(asked))
      return { fault: 'mm are minutes; months are MM, as in yyyy-MM-dd' };
    for (const [token] of asked.matchAll(/'(?:[^']|'')*'?|([A-Za-z])\1*|[^A-Za-z']+/g)) {
      if (/^[^A-Za-z']/.test(token)) text += token;
      else if (token === "''") text += "'";
      else if (token.startsWith("'")) text += token.slice(1).replace(/'$/, '').replaceAll("''", "'");
      else {
        const part = Object.hasOwn(PARTS, token) ? PARTS[token] : undefined;
        if (part === undefined) return { fault: `“${showValue(token)}” isn’t part of a date; ${partsHint(token)}` };
        text += part(date);
      }
    }
    return text;
  };
}

function partsHint(token: string): string {
  const near = { Y: 'yyyy', D: 'dd', h: 'HH' }[token.charAt(0)];
  const other = near === undefined ? '' : `perhaps ${near} is meant; `;
  return `${other}there are ${Object.keys(PARTS).join(' ')}, and text in single quotes`;
}
