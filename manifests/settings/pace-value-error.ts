/** What is wrong with a value, as the rest of a sentence that begins with the setting's name. */
export class PaceValueError extends Error {
  override readonly name = 'PaceValueError';
}
