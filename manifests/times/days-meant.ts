/** A date in any order, with what may follow it. */
const DATE = /^(\d{1,4})[-./](\d{1,2})[-./](\d{1,4})(?:[ T,](.*))?$/s;

/** The ends of the days that a date may mean (ms): 03/04 is read both ways. Empty if the text isn't a date. */
export function daysMeant(text: string): { days: number[]; rest: string } {
  const [, first = '', second = '', third = '', rest = ''] = DATE.exec(text) ?? [];
  const [a, b, c] = [first, second, third].map(Number);
  if (a === undefined || b === undefined || c === undefined || first === '') return { days: [], rest };
  const readings =
    first.length === 4
      ? [[a, b, c]]
      : [
          [c < 100 ? 2000 + c : c, b, a],
          [c < 100 ? 2000 + c : c, a, b],
        ];
  const days = readings.flatMap(([year = 0, month = 0, day = 0]) => {
    const isDay = year >= 1900 && year < 3000 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
    return isDay ? [Date.UTC(year, month - 1, day + 1)] : [];
  });
  return { days, rest };
}
