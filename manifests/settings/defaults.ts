import { classifyColumn } from '../fields/classify-column';
import { type Place, type ProblemList } from '../problems/problems';
import { type Cell, type RawRow, type ValueLevel } from '../raw-row';
import { NOT_DEFAULTABLE } from './schema';
import { showValue } from '../text';
import { type FieldDefaults, type PlatformConfig, type PlatformKind, type ReadOptions } from '../types';

/** Finds the effective value of a field: row > flag > manifest > account > config, and within each FIELD.platform > FIELD. */
export class Defaults {
  readonly #config: ReadonlyMap<string, Cell>;
  readonly #manifest: ReadonlyMap<string, Cell>;
  readonly #accounts: ReadonlyMap<string, ReadonlyMap<string, Cell>>;
  readonly #given: ReadonlyMap<string, Cell>;

  constructor(
    options: ReadOptions,
    manifest: ReadonlyMap<string, Cell>,
    problems: ProblemList,
    /** Replaces aliases. */
    expand: (slots: ReadonlyMap<string, Cell>) => ReadonlyMap<string, Cell> = (slots) => slots,
  ) {
    const { platforms } = options;
    const cells = (values: FieldDefaults, level: ValueLevel, label: string): ReadonlyMap<string, Cell> =>
      expand(configuredCells({ values, level, label, platforms, problems }));
    this.#given = cells(options.givenDefaults ?? {}, 'flag', '--default ');
    this.#manifest = expand(manifest);
    this.#config = cells(options.defaults ?? {}, 'config', 'defaults.');
    this.#accounts = new Map(
      Object.entries(options.accountDefaults ?? {}).map(([name, values]) => [
        name,
        cells(values, 'account', `accounts.${name}.defaults.`),
      ]),
    );
  }

  /** The value of a field for a row, or undefined if no source has one. */
  find(row: RawRow, field: string, context: { kind?: PlatformKind; account: string | null }): Cell | undefined {
    const dotted = context.kind === undefined ? field : `${field}.${context.kind}`;
    // Written out, as this runs a dozen times for each of a hundred thousand rows.
    return (
      pick(row.slots, dotted, field) ??
      pick(this.#given, dotted, field) ??
      pick(this.#manifest, dotted, field) ??
      (context.account === null ? undefined : pick(this.#accounts.get(context.account), dotted, field)) ??
      pick(this.#config, dotted, field)
    );
  }

  /** Whether any level below the rows has the field. */
  gives(field: string): boolean {
    const levels = [this.#given, this.#manifest, this.#config, ...this.#accounts.values()];
    return levels.some((level) => [field, `${field}.short`, `${field}.long`].some((slot) => level.has(slot)));
  }
}

function pick(level: ReadonlyMap<string, Cell> | undefined, dotted: string, field: string): Cell | undefined {
  return level === undefined || level.size === 0 ? undefined : (level.get(dotted) ?? level.get(field));
}

/** The slot that a key among defaults means, or undefined after a reported problem. */
export function defaultSlot(input: {
  name: string;
  at: Place;
  platforms: readonly PlatformConfig[];
  problems: ProblemList;
}): string | undefined {
  const { name, at, platforms, problems } = input;
  const meaning = classifyColumn(name, { platforms });
  if (meaning.kind !== 'field') {
    const suggestion = meaning.kind === 'mistaken' ? meaning.suggestion : undefined;
    const message = `“${showValue(name)}” isn’t a field, so it can’t have a default.${suggestion === undefined ? '' : ` Did you mean “${suggestion}”?`}`;
    problems.add({
      code: 'unknown-setting',
      at,
      value: name,
      message,
      hint: suggestion === undefined ? 'Use the name of a field.' : `Rename it to ${suggestion}.`,
    });
    return undefined;
  }
  if (!NOT_DEFAULTABLE.has(meaning.slot)) return meaning.slot;
  problems.add({
    code: 'bad-setting',
    at,
    message: `${meaning.slot} belongs to each video; it can’t have a default.`,
    hint: 'Write it at each video.',
  });
  return undefined;
}

function configuredCells(input: {
  values: FieldDefaults;
  level: ValueLevel;
  label: string;
  platforms: readonly PlatformConfig[];
  problems: ProblemList;
}): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [name, value] of Object.entries(input.values)) {
    if (value === undefined) continue;
    const at = { line: null, column: `${input.label}${name}` };
    const slot = defaultSlot({ name, at, platforms: input.platforms, problems: input.problems });
    if (slot === undefined) continue;
    const list = typeof value === 'object' ? { list: value } : {};
    const text = typeof value === 'object' ? value.join('|') : String(value);
    if (text.trim() !== '') cells.set(slot, { text, at, level: input.level, ...list });
  }
  return cells;
}
