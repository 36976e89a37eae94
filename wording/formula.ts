/**
 * Text that a spreadsheet would run as a formula gets an apostrophe before it, in CSV only. Reading a file with
 * `reelay_` columns removes that one apostrophe, so every cell comes back unchanged.
 * A formula can begin where a cell begins, and also inside one: a reader that splits lines at `;`, at a tab or at `|`
 * doesn't see the quotes of `x,"a;=cmd"`, and takes what follows its delimiter or a line end for a separate cell. The
 * user's own apostrophes before such a character would be taken for ours, so they get one more.
 */
const GUARDED_PLACE = /^('*)(?=[=+\-@\t\r])|([;|\t\r\n]"*)('*)(?=[=+\-@])/g;

export function guardFormula(text: string): string {
  return text.replace(
    GUARDED_PLACE,
    (_match, atStart: string | undefined, before: string | undefined, own: string | undefined) =>
      `${before ?? ''}'${atStart ?? own ?? ''}`,
  );
}

/** Undoes `guardFormula`. Cells without an apostrophe stay as they are. */
export function unguardFormula(text: string): string {
  return text.replace(
    GUARDED_PLACE,
    (_match, atStart: string | undefined, before: string | undefined, own: string | undefined) =>
      `${before ?? ''}${(atStart ?? own ?? '').slice(1)}`,
  );
}
