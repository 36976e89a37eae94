'use strict';

// The tables of the documentation that are made from tables in the code, by the name of their place in a page:
// between `<!-- list: NAME -->` and `<!-- end -->`. Requires a build.
const { EXIT_MEANING } = require('../dist/cli/errors/exit-codes.js');
const { ACTION_MEANING } = require('../dist/cli/terminal/texts/plan-actions.js');
const { STATE_ORDER, STATE_WORDS } = require('../dist/cli/terminal/texts/state-words.js');
const { TRANSITIONS } = require('../dist/ledger/model/states.js');
const { FIELD_ALIASES, FIELDS } = require('../dist/manifests/fields/fields.js');
const { PACE_SCHEMA } = require('../dist/manifests/settings/pace-schema.js');
const { SCHEDULE_SCHEMA } = require('../dist/manifests/settings/schedule-setting.js');
const { manifestSchema } = require('../dist/manifests/settings/schema.js');
const { interfaceTables } = require('../dist/service/api/interface-lists.js');

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll('|', '&#124;').replaceAll('*', '\\*').replaceAll('_', '\\_');

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function described(schema) {
  // An optional setting may have its description inside.
  const text = (one) => one.description ?? text(one.unwrap());
  return Object.entries(schema.shape).map(([name, one]) => [code(name), cell(text(one))]);
}

function fields() {
  return Object.entries(FIELDS).map(([name, { perPlatform, description }]) => {
    const aliases = Object.keys(FIELD_ALIASES).filter((alias) => FIELD_ALIASES[alias] === name);
    const also = aliases.length === 0 ? '' : ` Also ${aliases.map(code).join(', ')}.`;
    return [code(name), perPlatform ? 'yes' : '', `${cell(description)}${also}`];
  });
}

exports.referenceLists = () =>
  new Map([
    ...interfaceTables(),
    ['manifest-fields', table(['field', 'per platform', 'meaning'], fields())],
    ['manifest-settings', table(['setting', 'meaning'], described(manifestSchema))],
    ['pace', table(['setting', 'meaning'], described(PACE_SCHEMA))],
    ['schedule', table(['key', 'meaning'], described(SCHEDULE_SCHEMA))],
    [
      'exit-codes',
      table(
        ['code', 'meaning'],
        Object.entries(EXIT_MEANING).map(([number, text]) => [number, cell(text)]),
      ),
    ],
    [
      'plan-actions',
      table(
        ['word', 'meaning'],
        Object.entries(ACTION_MEANING).map(([word, text]) => [code(word), cell(text)]),
      ),
    ],
    [
      'states',
      table(
        ['state', 'meaning', 'final'],
        STATE_ORDER.map((state) => [
          code(state),
          cell(STATE_WORDS[state].meaning),
          STATE_WORDS[state].ended ? 'yes' : '',
        ]),
      ),
    ],
    [
      'moves',
      table(
        ['from', 'to', 'when'],
        Object.entries(TRANSITIONS).flatMap(([from, ways]) =>
          Object.entries(ways).map(([to, when]) => [code(from), code(to), cell(when)]),
        ),
      ),
    ],
  ]);
