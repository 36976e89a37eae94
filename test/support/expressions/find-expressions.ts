import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface FoundExpression {
  /** Path from the root, and line from 1. */
  place: string;
  /** Null where it is made while the program runs. */
  expression: RegExp | null;
}

/** Every regular expression that a TypeScript file holds: literals, and `RegExp` of texts that are constant in the file. */
export function expressionsIn(root: string, file: string): FoundExpression[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: FoundExpression[] = [];
  const constants = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      isConstant(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer !== undefined
    )
      constants.set(node.name.text, node.initializer);
    if (ts.isRegularExpressionLiteral(node)) found.push({ place: placeOf(node), expression: ofLiteral(node.text) });
    else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(source) === 'RegExp') {
      const [pattern, flags] = (node.arguments ?? []).map((argument) => constantText(argument, constants, source));
      const whole = pattern !== undefined && (node.arguments?.length === 1 || flags !== undefined);
      found.push({ place: placeOf(node), expression: whole ? new RegExp(pattern, flags) : null });
    }
    ts.forEachChild(node, visit);
  };
  const placeOf = (node: ts.Node): string =>
    `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
  visit(source);
  return found;
}

function isConstant(node: ts.VariableDeclaration): boolean {
  return (node.parent.flags & ts.NodeFlags.Const) !== 0;
}

function ofLiteral(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

function constantText(
  node: ts.Expression,
  constants: ReadonlyMap<string, ts.Expression>,
  source: ts.SourceFile,
): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const constant = constants.get(node.text);
    return constant === undefined ? undefined : constantText(constant, constants, source);
  }
  if (ts.isTaggedTemplateExpression(node)) {
    const raw = node.tag.getText(source) === 'String.raw';
    return raw ? templateText(node.template, constants, source, true) : undefined;
  }
  return ts.isTemplateExpression(node) ? templateText(node, constants, source, false) : undefined;
}

function templateText(
  node: ts.TemplateLiteral,
  constants: ReadonlyMap<string, ts.Expression>,
  source: ts.SourceFile,
  raw: boolean,
): string | undefined {
  const piece = (part: ts.TemplateLiteralLikeNode): string => (raw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(node)) return piece(node);
  let text = piece(node.head);
  for (const { expression, literal } of node.templateSpans) {
    const value = constantText(expression, constants, source);
    if (value === undefined) return undefined;
    text += value + piece(literal);
  }
  return text;
}

const ROOMS_WITHOUT_SOURCE = new Set(['node_modules', 'dist', 'test', 'docs']);

/** All TypeScript files of the product, from the root. */
export function sourceFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name.startsWith('.') || ROOMS_WITHOUT_SOURCE.has(path) ? [] : sourceFiles(root, path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}
