/** What was over this long (ms) before a baseline was taken is not what appeared since: no service is that slow, or leaves it out of its list for so long. */
export const FORGOTTEN_MS = 24 * 3_600_000;
