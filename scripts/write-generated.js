'use strict';

// Writes the files that are made from tables in the code; run after `npm run build`. Tests tell when one is out of date.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const { problemsMarkdown } = require('../dist/manifests/problem-docs.js');
const { manifestJsonSchema } = require('../dist/manifests/schema.js');

mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(join(root, 'docs', 'problems.md'), problemsMarkdown());
writeFileSync(join(root, 'manifests', 'manifest.schema.json'), `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`);
