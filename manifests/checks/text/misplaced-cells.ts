import { PRIVACIES } from '../../../service/limits';
import { foldName } from '../../fields/fields';
import { type ProblemList } from '../../problems/problems';
import { type Cell, type RawRow, type RawTable } from '../../raw-row';
import { VIDEO_ENDINGS } from '../../settings/folder-setting';
import { showValue } from '../../text';
import { daysMeant } from '../../times/days-meant';
import { type PlatformConfig } from '../../types';
import { STATUSES } from './check-simple';

interface MisplacedContext {
  table: RawTable;
  platforms: readonly PlatformConfig[];
  now: number;
  problems: ProblemList;
}

/** What follows a date that is a whole time, and nothing more. */
const TIME_OF_DAY = /^\s?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s?(?:[ap]\.?m\.?)?\s?(?:z|[+-]\d{2}:?\d{2})?$/i;
const URL_ALONE = /^https?:\/\/\S+$/i;
/** No value that is recognised here is longer, but for a URL. */
const LONGEST = 100;

type Belongs = (text: string, context: MisplacedContext) => boolean;

/** Fields whose values are recognised, and in which columns a value of theirs is out of place. */
const FORMS: readonly { field: string; columns: readonly string[]; belongs: Belongs }[] = [
  { field: 'privacy', columns: ['title', 'description', 'key'], belongs: isOneOf(PRIVACIES) },
  { field: 'status', columns: ['title', 'description', 'key'], belongs: isOneOf(STATUSES) },
  { field: 'platform', columns: ['title', 'description', 'key'], belongs: namesPlatforms },
  // A key may well be a day, or the name of a file.
  { field: 'publish_at', columns: ['title', 'description'], belongs: isComingTime },
  { field: 'source', columns: ['title', 'description'], belongs: isVideoFile },
];

/**
 * Notices cells of a sheet's row that were moved or exchanged: a field of free text has exactly a value of another field,
 * whose column is blank in this row, so that a default would take its place. Fields with a form of their own refuse what
 * isn't theirs anyway. In a YAML the field's name is written before each value. Returns whether it found any.
 */
export function reportMisplacedCells(raw: RawRow, context: MisplacedContext): boolean {
  if (context.table.format !== 'csv') return false;
  let found = false;
  for (const [slot, cell] of raw.slots) {
    if (cell.literal === true) continue;
    const [column = slot] = slot.split('.');
    const field = fieldOf(cell.text.trim(), column, raw, context);
    if (field === undefined) continue;
    found = true;
    context.problems.add({ code: 'cell-misplaced', at: cell.at, value: cell.text, ...explain(cell, column, field) });
  }
  return found;
}

function fieldOf(text: string, column: string, raw: RawRow, context: MisplacedContext): string | undefined {
  if (column === 'title' && URL_ALONE.test(text) && isTitle(raw.slots.get('description'))) return 'description';
  return FORMS.find(
    ({ field, columns, belongs }) =>
      columns.includes(column) &&
      (text.length <= LONGEST || field === 'source') &&
      belongs(text, context) &&
      hasSlot(context.table.slots, field) &&
      !hasSlot(raw.slots, field),
  )?.field;
}

function explain(cell: Cell, column: string, field: string): { message: string; hint?: string } {
  const value = showValue(cell.text.trim(), 60);
  return field === 'description'
    ? {
        message: `The title is the URL “${value}”, and the description has the text: they look exchanged.`,
        hint: 'Exchange the two cells, or write a title.',
      }
    : { message: `The ${column} is “${value}”, a value for ${field}, and ${field} is blank in this row.` };
}

function isTitle(cell: Cell | undefined): boolean {
  const text = cell?.text.trim() ?? '';
  return text !== '' && !/^https?:\/\//i.test(text);
}

/** A field of a platform, and each part of a time, counts for it. */
function hasSlot(slots: { has(slot: string): boolean }, field: string): boolean {
  const names = field === 'publish_at' ? [field, 'publish_date'] : [field];
  return names.some((name) => [name, `${name}.short`, `${name}.long`].some((slot) => slots.has(slot)));
}

function isOneOf(words: readonly string[]): Belongs {
  return (text) => words.includes(text.toLowerCase());
}

function namesPlatforms(text: string, { platforms }: MisplacedContext): boolean {
  return text.split('|').every((one) => {
    const name = foldName(one);
    return platforms.some((platform) => platform.kind === name || foldName(platform.name) === name);
  });
}

function isVideoFile(text: string): boolean {
  return VIDEO_ENDINGS.some((ending) => text.toLowerCase().endsWith(`.${ending}`));
}

/** A day that is over is no time to publish at: recordings are often named by theirs. */
function isComingTime(text: string, { now }: MisplacedContext): boolean {
  const { days, rest } = daysMeant(text);
  return days.some((day) => day > now) && (rest === '' || TIME_OF_DAY.test(rest));
}
