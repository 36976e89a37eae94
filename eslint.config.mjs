import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Which rooms, or single files of them, a room may import besides itself. What is not listed (cli, test, …) may import all. */
const rooms = {
  wording: [],
  service: [],
  sandbox: [],
  host: [],
  ledger: ['wording/shell', 'wording/account-trouble'],
  manifests: ['service/limits', 'wording/duration', 'wording/formula', 'wording/results-sheet', 'wording/shell'],
  submissions: ['manifests', 'ledger', 'service'],
  report: ['ledger', 'wording'],
  activities: ['submissions', 'wording', 'manifests', 'ledger', 'service'],
  workflows: ['activities', 'wording'],
  temporal: ['workflows', 'activities', 'ledger', 'host'],
  worker: ['temporal', 'workflows', 'activities', 'submissions', 'manifests', 'ledger', 'service', 'host'],
  embedded: ['worker', 'host', 'sandbox', 'ledger', 'temporal/search-attributes'],
};

/** Which folders, and which files at the top of its room, a folder may import besides itself. */
const folders = {
  service: {
    secrets: ['config-error'],
    connection: ['config-error'],
    http: ['connection', 'secrets', 'api/answers', 'upload/video-file', 'config-error', 'errors'],
    upload: ['http', 'connection'],
    api: ['connection', 'http', 'secrets', 'upload', 'config-error', 'errors', 'limits'],
  },
  manifests: {
    checks: ['fields', 'problems', 'settings', 'times', 'raw-row', 'text', 'types'],
    fields: ['problems', 'raw-row', 'text', 'types'],
    parse: ['fields', 'problems', 'settings', 'templates', 'raw-row', 'text', 'types'],
    problems: ['text'],
    settings: ['fields', 'problems', 'times', 'raw-row', 'text', 'types'],
    templates: ['problems', 'raw-row', 'text', 'types'],
    times: ['text'],
  },
  ledger: {
    pace: [],
    model: ['pace'],
    engine: ['model'],
    rows: ['engine', 'model'],
    publications: ['engine', 'model', 'rows'],
    runs: ['engine', 'model', 'rows'],
    channels: ['engine', 'model', 'pace', 'rows', 'runs'],
    attempts: ['channels', 'engine', 'model', 'publications', 'rows', 'runs'],
    queries: ['attempts', 'channels', 'engine', 'model', 'pace', 'rows', 'runs'],
    operator: ['attempts', 'channels', 'engine', 'model', 'pace', 'publications', 'rows', 'runs'],
    submissions: ['attempts', 'channels', 'engine', 'model', 'operator', 'pace', 'queries', 'rows', 'runs'],
    schedules: ['engine', 'model'],
    maintenance: ['attempts', 'engine', 'model', 'publications', 'queries', 'rows', 'runs'],
  },
  activities: {
    compare: [],
    accounts: ['deps'],
    follow: ['compare', 'in-parallel', 'deps', 'accounts'],
    notices: ['deps'],
    publish: ['in-parallel', 'context', 'contract', 'deps', 'timings', 'accounts'],
    reconcile: ['compare', 'follow', 'publish/failure-table', 'deps', 'timings', 'accounts'],
    run: ['follow', 'notices', 'publish', 'reconcile', 'context', 'contract', 'deps', 'accounts'],
    schedules: ['notices', 'context', 'deps'],
  },
  cli: {
    errors: [],
    terminal: ['errors'],
    config: ['errors', 'terminal'],
    stack: ['config', 'errors', 'terminal', 'version'],
    shared: ['config', 'errors', 'stack', 'terminal', 'command'],
    summary: ['config', 'errors', 'shared', 'stack', 'terminal', 'command'],
    'result-files': ['summary', 'config', 'errors', 'shared', 'stack', 'terminal', 'command'],
    submission: ['summary', 'config', 'errors', 'shared', 'stack', 'terminal', 'command'],
    watch: ['config', 'errors', 'result-files', 'shared', 'stack', 'submission', 'summary', 'terminal'],
    commands: [
      ...['config', 'errors', 'result-files', 'shared', 'stack', 'submission', 'summary', 'terminal', 'watch'],
      ...['command', 'version'],
    ],
  },
};

const everyRoom = [...Object.keys(rooms), 'cli', 'test', 'bench', 'chaos', 'simulate'];
/** As an entry of a folder stands on the disk: a file's name without its ending means that file. */
const entry = (folder, name) => (existsSync(join(import.meta.dirname, folder, `${name}.ts`)) ? `${name}.ts` : name);

/** Each border as a zone: what `target` may not import from `from`, but for `except`. */
const borders = [
  ...Object.entries(rooms).flatMap(([room, allowed]) =>
    everyRoom
      .filter((other) => other !== room && !allowed.includes(other))
      .map((other) => ({
        target: `./${room}`,
        from: `./${other}`,
        except: allowed
          .filter((name) => name.startsWith(`${other}/`))
          .map((name) => `./${entry(other, name.slice(other.length + 1))}`),
        message: `${room}/ may not import ${other}/ (see docs/architecture.md).`,
      })),
  ),
  ...Object.entries(folders).flatMap(([room, inside]) =>
    Object.entries(inside).map(([folder, allowed]) => ({
      target: `./${room}/${folder}`,
      from: `./${room}`,
      except: [folder, ...allowed].map((name) => `./${entry(room, name)}`),
      message: `${room}/${folder}/ may import only ${allowed.join(', ') || 'nothing'} of ${room}/ (see docs/architecture.md).`,
    })),
  ),
];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'manifests/examples/**'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      // A dynamic import names what the build makes of a file: `./x.js` is `./x.ts` here.
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } }),
      ],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      'import-x/no-cycle': ['error', { maxDepth: 8 }],
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: borders }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['workflows/**/*.ts', 'wording/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['../activities/**'],
              allowTypeImports: true,
              message: 'Workflows take only types from activities/.',
            },
            {
              group: ['undici', 'zod', 'kysely', 'libsql', 'node:*', ...builtinModules.filter((m) => m !== 'assert')],
              message: 'Workflow code is deterministic: no Node built-ins, no clients, no zod.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['cli/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@temporalio/*', 'undici', 'fastify', 'kysely', 'libsql', 'yaml', 'csv-parse*'],
              allowTypeImports: true,
              message: 'cli/ loads heavy packages only inside the command that needs them: await import(…).',
            },
            {
              regex:
                '^(\\.\\./)+(?!ledger/model/(damage|location)$)(service|ledger|worker|embedded|sandbox|activities|workflows|manifests|submissions|temporal|report)/',
              allowTypeImports: true,
              message: 'cli/ loads other rooms lazily: await import(…).',
            },
          ],
        },
      ],
    },
  },
  {
    // Loaded as a whole, by `schedule` alone and only when it runs; its flags are what the program itself loads.
    files: ['cli/commands/schedule/**/*.ts'],
    ignores: ['cli/commands/schedule/definition/flags.ts', 'cli/commands/schedule/schedule.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts', 'chaos/**/*.ts', 'simulate/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['bench/**/*.ts', 'chaos/**/*.ts', 'simulate/**/*.ts'], rules: { 'no-console': 'off' } },
);
