import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { FIELD_NAMES } from '../../../manifests/fields/fields';
import { PROBLEM_CODES } from '../../../manifests/problems/problem-codes';
import { problemsMarkdown } from '../../../manifests/problems/problem-docs';
import { readManifest } from '../../../manifests/read-manifest';
import { manifestJsonSchema } from '../../../manifests/settings/schema';
import { NOW, PLATFORMS } from '../support';

const root = join(__dirname, '../../..');
const examples = join(root, 'manifests/examples');
const manifests = readdirSync(examples).filter((name) => /\.(yaml|csv)$/.test(name));

test('docs/reference/problem-codes.md is what the table of codes gives', () => {
  expect(readFileSync(join(root, 'docs/reference/problem-codes.md'), 'utf8')).toBe(problemsMarkdown());
});

test('manifest.schema.json is what the schema gives', () => {
  const written: unknown = JSON.parse(readFileSync(join(root, 'manifests/manifest.schema.json'), 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(manifestJsonSchema())));
});

test('every code of a problem is used somewhere in the code', () => {
  const source = ['manifests', 'submissions']
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('problem-codes.ts'))
        .map((name) => readFileSync(join(root, room, name), 'utf8')),
    )
    .join('\n');
  expect(Object.keys(PROBLEM_CODES).filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});

test('every field is described in the JSON schema', () => {
  interface Schema {
    description?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
  }
  const found: string[] = [];
  const undescribed = (schema: Schema, path: string): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
      found.push(name);
      const at = `${path}.${name}`;
      return [...((value.description ?? '').length < 10 ? [at] : []), ...undescribed(value, at)];
    }),
    ...[...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? [])].flatMap((part) =>
      undescribed(part, path),
    ),
  ];
  expect(undescribed(manifestJsonSchema() as Schema, '')).toEqual([]);
  expect(found).toEqual(expect.arrayContaining([...FIELD_NAMES, 'videos', 'defaults', 'pace', 'min_gap', 'failures']));
});

describe('the JSON schema', () => {
  const validate = new Ajv({ strict: false }).compile(manifestJsonSchema());

  test.each(manifests.filter((name) => name.endsWith('.yaml')))('accepts the example %s', (name) => {
    const text = readFileSync(join(examples, name), 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/manifest\.schema\.json\n/);
    expect(validate(parse(text, { merge: true }))).toBe(true);
  });

  test.each([
    ['a mistyped setting', { time_zone: 'UTC', videos: 'a.csv' }],
    ['a mistyped default', { defaults: { privcy: 'public' }, videos: 'a.csv' }],
    ['a wrong value', { videos: [{ source: 'a.mp4', privacy: 'publik' }] }],
    ['no videos', { version: 1 }],
  ])('refuses %s', (_name, manifest) => {
    expect(validate(manifest)).toBe(false);
  });
});

describe('the examples', () => {
  test.each(manifests.filter((name) => name !== 'with-sheet.csv'))('%s has no errors', async (name) => {
    const reading = await readManifest({ path: join(examples, name) }, { platforms: PLATFORMS, now: NOW });
    expect(reading.problems.filter((problem) => problem.code !== 'columns-kept')).toEqual([]);
    expect(reading.rows.length).toBeGreaterThan(1);
  });
});
