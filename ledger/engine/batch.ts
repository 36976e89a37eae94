import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Db, prepared } from './store';

/** Items per statement: few texts to compile and cache, and no page needs more than a dozen statements. */
const SIZES = [100, 10, 1] as const;

/** The columns of an item, in order. Numbers name their type, because a list of bare parameters would otherwise be text. */
export type BatchColumns<T> = readonly (readonly [keyof T & string, 'text' | 'integer' | 'bigint'])[];

class Cell {
  constructor(
    readonly at: number,
    readonly column: string,
  ) {}
}

class Shared {
  constructor(readonly name: string) {}
}

interface Built<R> {
  query: CompiledQuery<R>;
  parameters: readonly unknown[];
}

/**
 * A statement over many items at once: `build` gets `(?, ?, …), (?, ?, …)` to put after `values`, and a placeholder for
 * each value that all items share. One statement handles up to 100 items, so its fixed cost is paid once for all of
 * them.
 */
export function batched<T extends object, S extends object, R = unknown>(
  columns: BatchColumns<T>,
  build: (tuples: RawBuilder<unknown>, shared: S) => RawBuilder<R>,
): (on: Db, items: readonly T[], shared: S) => Promise<R[]> {
  const builtFor = new WeakMap<object, Map<number, Built<R>>>();

  function builtOf(on: Db, size: number): Built<R> {
    const { adapter } = on.getExecutor();
    const sizes = builtFor.get(adapter) ?? new Map<number, Built<R>>();
    builtFor.set(adapter, sizes);
    const known = sizes.get(size);
    if (known) return known;
    const query = build(tuplesOf(columns, size), SHARED as S).compile(on);
    const built = { query, parameters: query.parameters };
    sizes.set(size, built);
    return built;
  }

  return async (on, items, shared) => {
    const rows: R[] = [];
    for (let from = 0; from < items.length;) {
      const size = SIZES.find((one) => one <= items.length - from) ?? 1;
      const { query, parameters } = builtOf(on, size);
      const values = parameters.map((value) => {
        if (value instanceof Cell) return (items[from + value.at] as Record<string, unknown>)[value.column];
        return value instanceof Shared ? (shared as Record<string, unknown>)[value.name] : value;
      });
      const result = await on.executeQuery<R>({ ...query, parameters: values });
      for (const row of result.rows) rows.push(row);
      from += size;
    }
    return rows;
  };
}

function tuplesOf<T>(columns: BatchColumns<T>, size: number): RawBuilder<unknown> {
  const tuple = (at: number) =>
    sql.join(
      columns.map(([column, type]) => {
        const cell = new Cell(at, column);
        return type === 'text' ? sql`${cell}` : sql`cast(${cell} as ${sql.raw(type)})`;
      }),
    );
  return sql.join(Array.from({ length: size }, (_, at) => sql`(${tuple(at)})`));
}

/**
 * A query over a list of values, up to 100 at once. A shorter list is padded with its last value, so that a few texts
 * are enough for all lengths; the query must therefore tolerate repeated values.
 */
export function listed<V extends string | number, S extends object, R>(
  build: (db: Db, shared: S, values: V[]) => Compilable<R>,
): (on: Db, values: readonly V[], shared: S) => Promise<R[]> {
  type Values = Record<string, V>;
  const ofSize = SIZES.map((size) => ({
    size,
    query: prepared<S & Values, R>((db, p) =>
      build(
        db,
        p,
        Array.from({ length: size }, (_, at) => (p as Values)[`value${at}`] as V),
      ),
    ),
  }));
  return async (on, values, shared) => {
    const found: R[] = [];
    for (let from = 0; from < values.length; from += SIZES[0]) {
      const page = values.slice(from, from + SIZES[0]);
      const { size, query } = ofSize.reduce((best, one) => (one.size >= page.length ? one : best));
      const named = Array.from({ length: size }, (_, at) => [`value${at}`, page[Math.min(at, page.length - 1)]]);
      found.push(...(await query(on, { ...shared, ...(Object.fromEntries(named) as Values) })));
    }
    return found;
  };
}

/** Has a placeholder for every name. */
const SHARED: object = new Proxy({}, { get: (_, name) => new Shared(String(name)) });
