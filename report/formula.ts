/**
 * Text that a spreadsheet would run as a formula gets a leading apostrophe, in CSV only. Reading a file that has
 * `reelay_` columns takes that one apostrophe away again, so every cell comes back as it was.
 */
const FORMULA_START = /^[=+\-@\t\r]/;
/** An apostrophe of the user's own before such a character would be taken for ours. */
const LOOKS_GUARDED = /^'+[=+\-@\t\r]/;

export function guardFormula(text: string): string {
  return FORMULA_START.test(text) || LOOKS_GUARDED.test(text) ? `'${text}` : text;
}

export function unguardFormula(text: string): string {
  return LOOKS_GUARDED.test(text) ? text.slice(1) : text;
}
