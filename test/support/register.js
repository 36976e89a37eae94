'use strict';

// Lets a child process run TypeScript: `node -r ./register.js child.ts`. What one has compiled, the others of a run take.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const compileOptions = require('../../scripts/compile-options');

const compiled = join(tmpdir(), 'compiled');
mkdirSync(compiled, { recursive: true });

require.extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const path = join(compiled, `${createHash('sha256').update(source).digest('hex')}.js`);
  module._compile(read(path) ?? compile(source, filename, path), filename);
};

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function compile(source, filename, path) {
  // Loaded where it is needed: most children compile nothing.
  const { code } = require('@swc/core').transformSync(source, { filename, ...compileOptions });
  // Another child never reads half of it.
  writeFileSync(`${path}.${process.pid}`, code);
  renameSync(`${path}.${process.pid}`, path);
  return code;
}
