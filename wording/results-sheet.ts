/** The sheet of a workbook of results that has the rows to correct. */
export const CORRECT_SHEET = 'To correct';
