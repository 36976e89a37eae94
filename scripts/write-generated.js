'use strict';

// Writes the files that are generated from tables in the code; run after `npm run build`. Tests fail when one is out of
// date.
const { execFileSync } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const { problemsMarkdown } = require('../dist/manifests/problems/problem-docs.js');
const { manifestJsonSchema } = require('../dist/manifests/settings/schema.js');
const { referenceLists } = require('./reference-lists.js');

mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(join(root, 'docs', 'reference', 'problem-codes.md'), problemsMarkdown());
writeFileSync(join(root, 'manifests', 'manifest.schema.json'), `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`);

// Pages are written by hand, except for their lists: between `<!-- list: NAME -->` and `<!-- end -->`.
const lists = referenceLists();
for (const name of readdirSync(join(root, 'docs'), { recursive: true }).filter((one) => one.endsWith('.md'))) {
  const path = join(root, 'docs', name);
  const page = readFileSync(path, 'utf8');
  const filled = page.replace(/<!-- list: ([a-z-]+) -->[^]*?<!-- end -->/g, (place, list) => {
    if (!lists.has(list)) throw new Error(`docs/${name} has a place for the list “${list}”, which nothing makes`);
    return `<!-- list: ${list} -->\n\n${lists.get(list)}\n\n<!-- end -->`;
  });
  if (filled !== page) writeFileSync(path, filled);
}

// docs/reference/commands.md is written by hand, except for the output of --help: between `<!-- help: NAME -->` and
// `<!-- end -->`.
const main = join(root, 'dist', 'cli', 'main.js');
const commandsPath = join(root, 'docs', 'reference', 'commands.md');
const help = (...words) => execFileSync(process.execPath, [main, ...words, '--help'], { encoding: 'utf8' }).trimEnd();
const names = [...help().matchAll(/^ {2}([a-z]+) (?:\[|<| )/gm)].map((match) => match[1]);
let commands = readFileSync(commandsPath, 'utf8');
for (const name of names.filter((one) => one !== 'help')) {
  const block = `<!-- help: ${name} -->\n\n\`\`\`text\n${help(name)}\n\`\`\`\n\n<!-- end -->`;
  const place = new RegExp(`<!-- help: ${name} -->[^]*?<!-- end -->`);
  commands = place.test(commands) ? commands.replace(place, () => block) : `${commands}\n## ${name}\n\n${block}\n`;
}
writeFileSync(commandsPath, commands);
