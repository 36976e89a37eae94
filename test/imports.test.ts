import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preProcessFile } from 'typescript';

const root = join(__dirname, '..');
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { include: string[] };
const files = include
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));

/** Types too, which lint leaves out. A dynamic import comes later, and closes no circle. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return preProcessFile(text, true, false)
    .importedFiles.filter(
      ({ fileName, pos }) => fileName.startsWith('.') && !/import\($/.test(text.slice(pos - 8, pos)),
    )
    .map(({ fileName }) => join(path, '..', fileName))
    .flatMap((name) => [`${name}.ts`, join(name, 'index.ts')].filter((file) => existsSync(join(root, file))));
}

test('no file imports itself, over whatever others, types included', () => {
  expect(files.length).toBeGreaterThan(900);
  const imports = new Map(files.map((path) => [path, importsOf(path)]));
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (way.includes(path) || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of files) visit(path, []);
  expect(circles).toEqual([]);
});
