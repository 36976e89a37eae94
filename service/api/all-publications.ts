import { type PublicationPage } from './answers';
import { type ListPublicationsQuery, type ServiceClient } from './client';
import { PAGE_SIZE_MAX } from '../limits';
import { type Publication } from './publication';

type Query = Omit<ListPublicationsQuery, 'limit' | 'offset'>;

export interface ReadAllOptions {
  signal?: AbortSignal | undefined;
  /** 2 to 100. @default 100 */
  pageSize?: number;
  onPage?: (found: number) => void;
}

/** Pages read at most: a list that shrinks as fast as it is read must not be read for ever. */
const MAX_PAGES = 100_000;

/**
 * All publications that a query finds (section 4.4), newest first. Offsets move while publications arrive and vanish, so
 * each page is read with an overlap, and read again further up when it doesn't join on to what is known: whatever is in
 * the list all the time is in the result exactly once. What arrived meanwhile is looked for at the end.
 */
export async function readAllPublications(
  client: Pick<ServiceClient, 'listPublications'>,
  query: Query = {},
  options: ReadAllOptions = {},
): Promise<Publication[]> {
  const limit = Math.max(2, options.pageSize ?? PAGE_SIZE_MAX);
  const list = new GrowingList();
  const read = async (offset: number): Promise<PublicationPage> => {
    const page = await client.listPublications({ ...query, limit, offset }, { signal: options.signal });
    options.onPage?.(list.size);
    return page;
  };
  await walk(read, list, limit, () => false);
  // What came in at the top since the first page was read.
  const before = new Set(list.ids());
  if (before.size > 0) await walk(read, list, limit, (id) => before.has(id));
  return list.items();
}

/** Reads from the top to the end, or to a page that has what `reached` knows. */
async function walk(
  read: (offset: number) => Promise<PublicationPage>,
  list: GrowingList,
  limit: number,
  reached: (id: string) => boolean,
): Promise<void> {
  for (let pages = 0, offset = 0; pages < MAX_PAGES; pages += 1) {
    const { publications, total } = await read(offset);
    if (offset > 0 && !publications.some(({ id }) => list.has(id))) {
      // Something further up vanished, so there may be a gap: go up until a page joins on to what is known.
      offset = Math.max(0, offset - (limit - 1));
      continue;
    }
    const [first] = publications;
    const single = publications.length === 1 && first !== undefined && list.has(first.id);
    list.merge(publications);
    const atEnd = total !== null && offset + publications.length >= total;
    if (publications.length === 0 || single || atEnd || publications.some(({ id }) => reached(id))) return;
    // One already known comes first, as the proof that nothing was passed over.
    offset += Math.max(1, publications.length - 1);
  }
}

/** Publications in the order of the service's list, put together from pages that overlap. */
class GrowingList {
  #ids: string[] = [];
  readonly #byId = new Map<string, Publication>();

  get size(): number {
    return this.#ids.length;
  }

  ids(): readonly string[] {
    return this.#ids;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  items(): Publication[] {
    return this.#ids.map((id) => this.#byId.get(id)).filter((one) => one !== undefined);
  }

  /** New ones go behind the one that the page shows before them; the first of a page before the one after them. */
  merge(page: readonly Publication[]): void {
    const fresh = page.filter(({ id }) => !this.#byId.has(id));
    const known = page.filter(({ id }) => this.#byId.has(id));
    for (const publication of page) this.#byId.set(publication.id, publication);
    if (fresh.length === 0) return;
    const [first] = known;
    if (first === undefined) {
      this.#ids = this.#ids.length === 0 ? fresh.map(({ id }) => id) : [...fresh.map(({ id }) => id), ...this.#ids];
      return;
    }
    const last = known.at(-1);
    if (last !== undefined && last.id === this.#ids.at(-1) && page.indexOf(last) + fresh.length === page.length - 1) {
      // The usual case, without looking through the whole list.
      this.#ids.push(...fresh.map(({ id }) => id));
      return;
    }
    const isKnown = new Set(known.map(({ id }) => id));
    const behind = new Map<string, string[]>();
    const ahead: string[] = [];
    let before: string | null = null;
    for (const { id } of page) {
      if (isKnown.has(id)) before = id;
      else if (before === null) ahead.push(id);
      else behind.set(before, [...(behind.get(before) ?? []), id]);
    }
    this.#ids = this.#ids.flatMap((id) => [...(id === first.id ? ahead : []), id, ...(behind.get(id) ?? [])]);
  }
}
