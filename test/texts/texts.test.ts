import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { buildProgram } from '../../cli/program';
import { runCli } from '../../cli/run-cli';
import { CapturedStream } from '../cli/capture';

// What users read, in one reviewed file: every --help and every sentence in the code. A change of a text shows there as text;
// `npx jest test/texts -u` writes it again.

const root = join(__dirname, '../..');
const ROOMS = [
  'cli',
  'wording',
  'submissions',
  'manifests',
  'ledger',
  'activities',
  'workflows',
  'service',
  'temporal',
];
const MORE_ROOMS = ['report', 'worker', 'host', 'embedded', 'sandbox'];

async function helpOf(words: readonly string[]): Promise<string> {
  const stdout = new CapturedStream();
  await runCli([...words, '--help'], { stdout, stderr: new CapturedStream() });
  return stdout.text.replaceAll(root, '…');
}

/** Of the program and each of its commands; a group's holds those of its commands. */
async function allHelp(): Promise<string> {
  const none = { stdout: new CapturedStream(), stderr: new CapturedStream() };
  const { commands } = buildProgram(() => Promise.resolve(), none);
  let text = await helpOf([]);
  for (const command of commands) text += `\n$ reelay ${command.name()} --help\n\n${await helpOf([command.name()])}`;
  return text;
}

/** Sentences of a file: string literals and templates with at least three words; holes are `…`. */
function sentences(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTaggedTemplateExpression(node)) return;
    const text = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) ? node.text : template(node);
    if (text !== null && /[\p{L}\d…]+(?:[ ,:;–-]+["'“”‘’`(]*[\p{L}\d…]+){2}/u.test(text) && !isQuery(text))
      found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function template(node: ts.Node): string | null {
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

function isQuery(text: string): boolean {
  return /^\s*\(?(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|BEGIN|EXISTS|NOT EXISTS|CASE|AND|OR)\b/.test(
    text,
  );
}

test('every --help', async () => {
  expect(await allHelp()).toMatchSnapshot();
});

test.each([...ROOMS, ...MORE_ROOMS])('every sentence in %s', (room) => {
  const files = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const lines = files.sort().flatMap((name) => {
    const texts = sentences(join(root, room, name));
    return texts.length === 0 ? [] : [`## ${room}/${name}`, ...texts.map((text) => text.trimEnd()), ''];
  });
  expect(lines.join('\n')).toMatchSnapshot();
});
