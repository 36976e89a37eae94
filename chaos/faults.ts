/** Creates that the service stores and whose answer doesn't arrive, or isn't readable. */
const LOST_ANSWERS = [
  'create share=0.03 -> lost',
  'create share=0.02 -> lost reset',
  'create share=0.02 -> cut-answer headers',
  'create share=0.02 -> cut-answer body',
  'create share=0.03 -> status 500 accept',
  'create share=0.02 -> status 502 accept body=html',
  'create share=0.02 -> garbage html',
  'create share=0.02 -> status 429 accept retry-after=1',
  'create share=0.01 -> accept-late 1500 drop',
  'create share=0.01 -> slow-answer 6000',
] as const;

/** Creates that the service doesn't store, and reads that fail. */
const OTHERS = [
  'create share=0.02 -> status 500',
  'create share=0.01 -> status 503 retry-after=1',
  'get share=0.03 -> status 503',
  'get share=0.02 -> cut-answer',
  'list share=0.02 -> status 500',
  'list share=0.02 -> garbage half-json',
] as const;

export const FAULTS: readonly string[] = [...LOST_ANSWERS, ...OTHERS];

/** For a while nothing is accepted. */
export const STORM = 'create times=30 -> status 429 retry-after=1';
