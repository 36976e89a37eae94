/** A promise that was broken. */
export class Broken extends Error {
  constructor(
    readonly promise: string,
    what: string,
  ) {
    super(`${promise}: ${what}`);
  }
}
