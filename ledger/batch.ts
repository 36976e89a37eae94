import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Db } from './store';

/** Items of one statement: few texts to compile and keep, and no page needs more than a dozen of them. */
const SIZES = [100, 10, 1] as const;

/** The columns of an item, in order. A number's type is said, as a list of bare parameters would be text elsewhere. */
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
 * A statement over many items at once: `build` gets `(?, ?, …), (?, ?, …)` to put after `values`, and a stand-in for each
 * value that all items share. One statement serves up to 100 items; what one costs by itself is paid once for them all.
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

/** Has a stand-in under every name. */
const SHARED: object = new Proxy({}, { get: (_, name) => new Shared(String(name)) });
