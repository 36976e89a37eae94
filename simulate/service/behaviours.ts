import { type Stored } from './messages';

/** How titles are shown; undefined: not at all. */
export const SHOWN_TITLES: Readonly<Record<string, (title: string, nth: number) => string | undefined>> = {
  exactly: (title) => title,
  'lower-cased': (title) => title.toLowerCase(),
  encoded: (title) => title.replaceAll('&', '&amp;').replaceAll('“', '&ldquo;'),
  truncated: (title) => (title.length > 14 ? `${title.slice(0, 13)}…` : title),
  plain: (title) => title.replaceAll(/[^\w ]/gu, '').trim(),
  'not at all': () => undefined,
  'as something else': (_title, nth) => `clip-${nth * 7919}`,
};

/** The sort key of the list. `at`: ms since the epoch; `nth`: in the order of arrival. */
type Listed = Pick<Stored, 'at' | 'id' | 'nth'>;
type Order = (a: Listed, b: Listed) => number;

export const ORDERS: Readonly<Record<string, Order>> = {
  'newest first': (a, b) => b.nth - a.nth,
  'by second, then id': (a, b) => Math.floor(b.at / 1000) - Math.floor(a.at / 1000) || (a.id < b.id ? -1 : 1),
  'oldest first': (a, b) => a.nth - b.nth,
  'by id': (a, b) => (a.id < b.id ? -1 : 1),
};

/** What the list doesn't show. */
export const HIDDEN: Readonly<Record<string, (stored: Stored, now: number, processingMs: number) => boolean>> = {
  nothing: () => false,
  'a platform': ({ platform }) => platform === 'platform_a',
  'what is processing': ({ at }, now, processingMs) => now < at + processingMs,
};
