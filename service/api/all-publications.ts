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

/** Maximum number of pages read: a list that shrinks as fast as it is read must not be read forever. */
const MAX_PAGES = 100_000;

/**
 * All publications that a query finds (section 4.4), newest first. Offsets move while publications appear and
 * disappear, so pages are read with an overlap, and read again further up if one doesn't connect to the known entries:
 * everything that is in the list the whole time is in the result exactly once. Publications that appeared meanwhile are
 * looked for at the end.
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
  // Publications that appeared at the top since the first page was read.
  const before = new Set(list.ids());
  if (before.size > 0) await walk(read, list, limit, (id) => before.has(id));
  return list.items();
}

/** Reads from the top to the end, or to a page with an entry that `reached` knows. */
async function walk(
  read: (offset: number) => Promise<PublicationPage>,
  list: GrowingList,
  limit: number,
  reached: (id: string) => boolean,
): Promise<void> {
  for (let pages = 0, offset = 0; pages < MAX_PAGES; pages += 1) {
    const { publications, total } = await read(offset);
    if (offset > 0 && !publications.some(({ id }) => list.has(id))) {
      // An entry further up disappeared, so there may be a gap: go up until a page connects to the known entries.
      offset = Math.max(0, offset - (limit - 1));
      continue;
    }
    const [first] = publications;
    const single = publications.length === 1 && first !== undefined && list.has(first.id);
    list.merge(publications);
    const atEnd = total !== null && offset + publications.length >= total;
    if (publications.length === 0 || single || atEnd || publications.some(({ id }) => reached(id))) return;
    // A known entry comes first, as proof that nothing was skipped.
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

  /** New ones are inserted after the one that the page shows before them; the first of a page before the one after them. */
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
      // The usual case, without searching the whole list.
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
