export const SECOND = 1_000;

export const TITLES = [
  'Winter bees',
  'Winter beers',
  'A walk to the “old” mill & back 🌾',
  'Harvest of the early apples',
  null,
] as const;

export function manyOf<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
