/** What a number format shows: the parts of a date, or a number of digits with leading zeros. */
export interface ShownParts {
  date: boolean;
  time: boolean;
  /** For a format such as `00000`. */
  digits?: number;
}

const PLAIN: ShownParts = { date: false, time: false };

/** Formats that every workbook has without listing them (ECMA-376, 18.8.30), by number. */
function builtIn(id: number): ShownParts {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58))
    return { date: true, time: false };
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return { date: false, time: true };
  return id === 22 ? { date: true, time: true } : PLAIN;
}

/** @param code the format as the workbook lists it; undefined for one that it doesn't list */
export function shownParts(id: number, code: string | undefined): ShownParts {
  if (code === undefined) return builtIn(id);
  // Of “positive;negative;zero”, the first; without texts, colours, zones and padding, in which letters mean nothing.
  const [first = ''] = code.replace(/"[^"]*"|\\.|[_*]./g, '').split(';');
  const elapsed = /\[(?:h+|m+|s+)\]/i.test(first);
  const letters = first.replace(/\[[^\][]*\]/g, '').replace(/am\/pm|a\/p/gi, 'h');
  if (/^0{2,}$/.test(letters)) return { ...PLAIN, digits: letters.length };
  if (/general|[#?]|^[0.,]*0/i.test(letters) && !/[ydh]/i.test(letters)) return PLAIN;
  const time = elapsed || /[hs]/i.test(letters);
  // An m beside hours or seconds is minutes.
  const date = /[yd]/i.test(letters) || (!time && /m/i.test(letters));
  return { date, time };
}
