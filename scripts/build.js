'use strict';

// `npm run build [FOLDER…]`: dist/ from the sources, with the workflows bundled, so that no start has to run webpack.
// Needs only the packages that users install; types are checked by `npm run types`. Further folders (bench) are built
// too.
const {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');
const { transformFile } = require('@swc/core');
const { bundleWorkflowCode } = require('@temporalio/worker');
const compileOptions = require('./compile-options');

const root = join(__dirname, '..');
/** The rooms of the program (docs/architecture.md). */
const ROOMS = [
  ...['manifests', 'submissions', 'service', 'ledger', 'workflows', 'activities', 'temporal', 'host', 'worker'],
  ...['embedded', 'sandbox', 'report', 'wording', 'cli'],
];
/** Plain files that are copied beside the built sources. */
const COPIED = ['embedded/server/supervisor.js', 'manifests/manifest.schema.json'];

const built = join(root, 'dist');
// Built in a temporary folder and moved into place at the end, so that a process that runs from dist/ keeps a
// consistent set.
const fresh = join(root, '.cache', 'dist');

async function main() {
  const before = join(root, '.cache', 'dist-before');
  for (const folder of [fresh, before]) rmSync(folder, { recursive: true, force: true });
  await Promise.all([...ROOMS, ...process.argv.slice(2)].flatMap(sources).map(compile));
  for (const file of COPIED) copyFileSync(join(root, file), join(fresh, file));
  chmodSync(join(fresh, 'cli', 'main.js'), 0o755);
  if (existsSync(built)) renameSync(built, before);
  renameSync(fresh, built);
  rmSync(before, { recursive: true, force: true });
  await bundle('index', 'workflow-bundle.js');
  await bundle('versioned', 'workflow-bundle-versioned.js');
}

/** Last, in its final place: stack traces name the files of the bundle. */
async function bundle(entry, file) {
  const problems = [];
  const quiet = () => undefined;
  const note = (message) => problems.push(message);
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(built, 'workflows', `${entry}.js`),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: note, error: note },
  });
  if (problems.length > 0) throw new Error(`workflow bundle: ${problems.join('; ')}`);
  writeFileSync(join(built, file), code);
}

function sources(room) {
  return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(room, name));
}

async function compile(source) {
  const target = join(fresh, source.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  const { code } = await transformFile(join(root, source), { ...compileOptions, swcrc: false });
  writeFileSync(target, code);
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
