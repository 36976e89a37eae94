import { type FastifyReply } from 'fastify';

/** Success answers made to harm the program that reads them: its terminal, its paths, its event loop or its types. */
export const HOSTILE_ANSWERS = [
  'hostile-text',
  'hostile-id',
  'wrong-types',
  'deep-json',
  'huge-text',
  'huge-headers',
] as const;
export type HostileAnswer = (typeof HOSTILE_ANSWERS)[number];

/** Line breaks that end a YAML comment, control sequences of terminals, bidi marks, half characters, NUL, and length. */
const TEXTS: readonly string[] = [
  'Garden\r\nnotify:\n  command: [sh, -c, "exit 1"]\n#',
  '\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u009b31mGarden',
  '\u202egnp.exe\u2066\u200e\u2028Garden',
  'half \ud83d and \udc00 pairs',
  'Garden\u0000\u0007',
  'a.'.repeat(100_000),
  '=cmd|\'/C calc\'!A0","x',
];

/** Ids that name another address in a path, or that some encoders refuse. */
const IDS: readonly string[] = ['.', '..', '../profiles', '/', '%2e%2e', '%', 'a?b#c', 'half-\ud83d', 'x'.repeat(512)];

const WRONG_VALUES: readonly unknown[] = [0, -1.5, true, [], {}, [[null]], { a: 'b' }, '', 1e308];

const DEEP_LEVELS = 100_000;
const HUGE_CHARACTERS = 2_000_000;
/** Below the 16 KiB at which an HTTP parser gives up: all of it is read. */
const HEADERS = Array.from({ length: 12 }, (_, index): [string, string] => [`x-${index}`, 'a.'.repeat(500)]);

/** Answers with the intended body, made hostile in the given way. The same body is always changed in the same way. */
export function sendHostile(reply: FastifyReply, what: HostileAnswer, body: unknown): void {
  const text = JSON.stringify(body);
  reply.type('application/json');
  switch (what) {
    case 'hostile-text':
      reply.send(JSON.stringify(replaced(body, (name, old) => (isKept(name, old) ? old : picked(TEXTS, name + text)))));
      return;
    case 'hostile-id':
      reply.send(JSON.stringify(replaced(body, (name, old) => (name === 'id' ? picked(IDS, String(old)) : old))));
      return;
    case 'wrong-types':
      reply.send(
        JSON.stringify(replaced(body, (name, old) => (name === 'id' ? old : picked(WRONG_VALUES, name + text)))),
      );
      return;
    case 'deep-json': {
      const deep = `${'['.repeat(DEEP_LEVELS)}${']'.repeat(DEEP_LEVELS)}`;
      reply.send(text.replace(/\}$/, `,"x":${deep}}`).replaceAll('"platform":', `"y":${deep},"platform":`));
      return;
    }
    case 'huge-text':
      reply.type('text/plain').send('a.'.repeat(HUGE_CHARACTERS / 2));
      return;
    case 'huge-headers':
      for (const [name, value] of HEADERS) reply.header(name, value);
      reply.send(text);
      return;
  }
}

/** Ids have a different shape; null means that there is nothing yet. */
function isKept(name: string, value: unknown): boolean {
  return name === 'id' || typeof value !== 'string';
}

/** A copy in which every leaf value was replaced. */
function replaced(value: unknown, change: (name: string, old: unknown) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, change, name));
  if (typeof value !== 'object' || value === null) return change(name, value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, change, key)]));
}

function picked<T>(list: readonly T[], by: string): T | undefined {
  let sum = 0;
  for (const character of by) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return list[sum % list.length];
}
