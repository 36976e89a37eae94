/**
 * Text that a spreadsheet would run as a formula gets an apostrophe before it, in CSV only. Reading a file that has
 * `reelay_` columns takes that one apostrophe away again, so every cell comes back as it was.
 *
 * A formula can begin where a cell begins, and also inside of one: a reader that splits lines at `;`, at a tab or at `|`
 * doesn't see the quotes of `x,"a;=cmd"`, and takes what follows its delimiter or a line end for a cell of its own.
 * Apostrophes of the user's own before such a character would be taken for ours, so they get one more.
 */
const GUARDED_PLACE = /^('*)(?=[=+\-@\t\r])|([;|\t\r\n]"*)('*)(?=[=+\-@])/g;

export function guardFormula(text: string): string {
  return text.replace(
    GUARDED_PLACE,
    (_match, atStart: string | undefined, before: string | undefined, own: string | undefined) =>
      `${before ?? ''}'${atStart ?? own ?? ''}`,
  );
}

/** Undoes `guardFormula`. Places without an apostrophe stay as they are. */
export function unguardFormula(text: string): string {
  return text.replace(
    GUARDED_PLACE,
    (_match, atStart: string | undefined, before: string | undefined, own: string | undefined) =>
      `${before ?? ''}${(atStart ?? own ?? '').slice(1)}`,
  );
}
