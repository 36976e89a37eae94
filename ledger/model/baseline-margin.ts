/**
 * A create that was over this long (ms) before a baseline was taken can't be a publication that appeared since: no
 * service lists a publication that late.
 */
export const BASELINE_MARGIN_MS = 24 * 3_600_000;
