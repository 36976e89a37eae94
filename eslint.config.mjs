import { builtinModules } from 'node:module';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

// Which room may import which other rooms (its own folder is always allowed).
const rooms = {
  manifests: ['service/limits'],
  service: [],
  ledger: [],
  workflows: ['activities'],
  activities: ['service', 'ledger', 'manifests'],
  worker: ['activities', 'workflows', 'service', 'ledger', 'manifests'],
  embedded: ['worker', 'sandbox', 'ledger'],
  sandbox: [],
  report: ['ledger'],
};
const all = [...Object.keys(rooms), 'cli', 'test', 'bench', 'chaos'];

/** Files directly under a room and in its subfolders, as import patterns that reach another room. */
function reach(room) {
  return [`../${room}`, `../${room}/*`, `../${room}/**`, `../../${room}/*`, `../../${room}/**`];
}

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  files: [`${room}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          ...all
            .filter((other) => other !== room && !allowed.includes(other))
            .filter((other) => !(other === 'service' && allowed.includes('service/limits')))
            .map((other) => ({
              group: reach(other),
              message: `${room}/ may not import ${other}/ (see CONTRIBUTING).`,
            })),
          ...(allowed.includes('service/limits')
            ? [{ regex: 'service/(?!limits$)', message: `${room}/ may import service/limits only.` }]
            : []),
          ...(room === 'workflows'
            ? [
                {
                  group: [...reach('activities')],
                  allowTypeImports: true,
                  message: 'Workflows take only types from activities/.',
                },
                {
                  group: [
                    'undici',
                    'zod',
                    'kysely',
                    'libsql',
                    'node:*',
                    ...builtinModules.filter((m) => m !== 'assert'),
                  ],
                  message: 'Workflow code is deterministic: no Node built-ins, no clients, no zod.',
                },
              ]
            : []),
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'manifests/examples/**'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/resolver': { node: { extensions: ['.ts', '.js'] } },
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      'import-x/no-cycle': ['error', { maxDepth: 8 }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  ...roomRules,
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
                '^\\.\\./(\\.\\./)?(service|ledger|worker|embedded|sandbox|activities|workflows|manifests|report)/',
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
    files: ['cli/schedules/*.ts'],
    ignores: ['cli/schedules/flags.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts', 'chaos/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['bench/**/*.ts', 'chaos/**/*.ts'], rules: { 'no-console': 'off' } },
);
