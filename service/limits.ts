/** Titles of publications, in characters, by kind of platform (interface, section 8: `short` is `<platform_a>`, `long` is `<platform_b>`). */
export const TITLE_LIMIT = { short: 150, long: 100 } as const;
/** The title of a direct publish, in characters, whatever the platform (section 4.3). */
export const DIRECT_TITLE_LIMIT = 150;
/** Descriptions, in characters; only the long-form platform takes one (section 4.5). */
export const DESCRIPTION_LIMIT = 5000;

/** Values of `privacy`; only the long-form platform takes one (section 4.5). */
export const PRIVACIES = ['public', 'private', 'unlisted'] as const;

/** Values that a create may request (section 4.5). */
export const CREATE_STATUSES = ['published', 'draft'] as const;
export type CreateStatus = (typeof CREATE_STATUSES)[number];

/** Values a change may set, and statuses of publications that can be changed (sections 3 and 4.7). */
export const PATCH_STATUSES = ['draft', 'pending'] as const;

/** The biggest file of a direct publish, in bytes: 500 MB, read as decimal, the stricter meaning (section 8). */
export const DIRECT_MAX_BYTES = 500_000_000;
/** File name endings of the direct publish's formats (section 8). */
export const DIRECT_FORMATS = ['mp4', 'mov', 'avi'] as const;

/** Entries of one page of the publications list (section 4.4). */
export const PAGE_SIZE_MIN = 1;
export const PAGE_SIZE_MAX = 100;

/**
 * Length of a text in the unit of the limits above. The interface says "characters"; this counts Unicode code points:
 * an accented letter or an ideograph is 1, a family emoji counts each of its parts.
 */
export function countCharacters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}
