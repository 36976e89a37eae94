import { type Store } from '../engine/store';

/** Functions that take a store as their first argument, with that argument bound. */
export type Bound<F> = {
  readonly [Name in keyof F]: F[Name] extends (store: Store, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Binds a store to the first argument of each function. */
export function bind<F extends Record<string, (store: Store, ...rest: never[]) => unknown>>(
  store: Store,
  functions: F,
): Bound<F> {
  const bound = Object.entries(functions).map(([name, work]) => [name, work.bind(null, store)] as const);
  return Object.fromEntries(bound) as Bound<F>;
}
