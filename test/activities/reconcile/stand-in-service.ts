import { randomUUID } from 'node:crypto';
import { type CreatePublicationInput } from '../../../service/api/create-input';
import { type CreateOptions, type ListPublicationsQuery } from '../../../service/api/client';
import { AccessError, LostError, NotFoundError, RefusedError, ServerError } from '../../../service/errors';
import { type Publication } from '../../../service/api/publication';

/** A publication as the simulated service stored it. */
export interface Stored {
  id: string;
  input: CreatePublicationInput;
  /** True time, ms. */
  at: number;
  nth: number;
}

/** The outcome of one create. */
export type Fate =
  | 'answered'
  /** Stored, and the answer lost. */
  | 'lost'
  /** Not stored, and no answer. */
  | 'dropped'
  /** Stored, and answered with this status. */
  | { storedBut: 401 | 403 | 422 }
  /** Not stored, and answered with this status. */
  | { refused: 401 | 403 | 422 }
  /** Stored (unless `unstored`), and answered with the id of another publication, by its title. */
  | { answeredAs: string; unstored?: boolean };

export interface Behaviour {
  /** What the list and the single view show of a publication. */
  show: (stored: Stored, now: number) => Partial<Publication>;
  /** What only the list shows otherwise. */
  listedAs: (stored: Stored) => Partial<Publication>;
  /** Whether the list has it at all. */
  listed: (stored: Stored, now: number) => boolean;
  /** Whether a read by its id finds it. */
  found: (stored: Stored, now: number) => boolean;
  /** Sorts the list; newest first by default. */
  order: (a: Stored, b: Stored) => number;
  /** Time until a publication is in the list, ms. */
  lagMs: number;
  /** The longest page it gives, whatever was requested. */
  pageMax: number;
  total: boolean;
  /** The list answers 500. */
  listBroken: (now: number) => boolean;
  /** Every page is the first one. */
  ignoresOffset: boolean;
  fate: (input: CreatePublicationInput, nth: number) => Fate;
  /** How long a publication stays in `processing`, ms. */
  processingMs: number;
}

const ECHO: Behaviour = {
  show: () => ({}),
  listedAs: () => ({}),
  listed: () => true,
  found: () => true,
  order: (a, b) => b.nth - a.nth,
  lagMs: 0,
  pageMax: 100,
  total: true,
  listBroken: () => false,
  ignoresOffset: false,
  fate: () => 'answered',
  processingMs: 0,
};

/**
 * A publishing service in memory, with its own time: what it shows, how it lists and the outcome of each create are
 * given. By default it echoes everything exactly.
 */
export class StandInService {
  readonly stored: Stored[] = [];
  readonly behaviour: Behaviour;
  lists = 0;
  private creates = 0;
  private readonly tries = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    behaviour: Partial<Behaviour> = {},
  ) {
    this.behaviour = { ...ECHO, ...behaviour };
  }

  /** A publication by another client. */
  add(input: Partial<CreatePublicationInput>): Stored {
    const source = { kind: 'url', url: `https://elsewhere.example/${this.stored.length}.mp4` } as const;
    return this.store({ platform: 'platform_a', status: 'published', source, ...input });
  }

  /** How often each source was stored: more than once is a video that was published twice. */
  timesBySource(): Map<string, number> {
    const times = new Map<string, number>();
    for (const { input } of this.stored) {
      const source = input.source.kind === 'url' ? input.source.url : '';
      times.set(source, (times.get(source) ?? 0) + 1);
    }
    return times;
  }

  async createPublication(input: CreatePublicationInput, options: CreateOptions = {}) {
    await options.beforeSend?.();
    const source = input.source.kind === 'url' ? input.source.url : '';
    const nth = (this.tries.get(source) ?? 0) + 1;
    this.tries.set(source, nth);
    const fate = this.behaviour.fate(input, nth);
    const name = { method: 'POST', path: '/v1/publications' };
    if (fate === 'dropped') throw new LostError('the connection was cut', { ...name, sent: 'perhaps' });
    if (typeof fate === 'object' && 'refused' in fate) throw refusal(fate.refused);
    if (typeof fate === 'object' && 'answeredAs' in fate && fate.unstored === true) {
      const other = this.stored.find((one) => one.input.title === fate.answeredAs);
      if (other) return { publication: this.view(other), message: null, httpStatus: 202 };
    }
    const made = this.store(input);
    if (fate === 'lost') throw new LostError('the connection was cut', { ...name, sent: 'perhaps' });
    if (typeof fate === 'object' && 'storedBut' in fate) throw refusal(fate.storedBut);
    const other =
      typeof fate === 'object' && 'answeredAs' in fate
        ? this.stored.find((one) => one.input.title === fate.answeredAs)
        : undefined;
    return { publication: this.view(other ?? made), message: null, httpStatus: 202 };
  }

  async listPublications({ limit = 20, offset = 0 }: ListPublicationsQuery = {}) {
    this.lists += 1;
    const { listBroken, listed, lagMs, order, pageMax, total, ignoresOffset } = this.behaviour;
    const now = this.now();
    if (listBroken(now)) {
      throw new ServerError('the service answered 500', {
        method: 'GET',
        path: '/v1/publications',
        sent: 'answered',
        status: 500,
      });
    }
    const all = this.stored.filter((one) => one.at + lagMs <= now && listed(one, now)).sort(order);
    const from = ignoresOffset ? 0 : offset;
    const page = all.slice(from, from + Math.min(limit, pageMax));
    return {
      publications: page.map((one) => ({ ...this.view(one), ...this.behaviour.listedAs(one) })),
      total: total ? all.length : null,
      limit,
      offset,
      servedAt: now,
    };
  }

  async getPublication(id: string): Promise<Publication> {
    const found = this.stored.find((one) => one.id === id);
    if (found && this.behaviour.found(found, this.now())) return this.view(found);
    throw new NotFoundError('the service answered 404', {
      method: 'GET',
      path: `/v1/publications/${id}`,
      sent: 'answered',
      status: 404,
    });
  }

  async demandKey() {
    // Every key is the account's.
  }

  async getProfile(id: string) {
    return { id, name: id, createdAt: null, channels: [], extra: {} };
  }

  private store(input: CreatePublicationInput): Stored {
    const made = { id: randomUUID(), input, at: this.now(), nth: (this.creates += 1) };
    this.stored.push(made);
    return made;
  }

  private view(stored: Stored): Publication {
    const { id, input, at } = stored;
    const done = this.now() >= at + this.behaviour.processingMs;
    return {
      id,
      platform: input.platform,
      status: input.status === 'draft' ? 'draft' : done ? 'published' : 'processing',
      videoId: null,
      videoUrl: null,
      privacy: input.privacy ?? null,
      publishedAt: null,
      createdAt: new Date(at).toISOString(),
      ...(input.title === undefined ? {} : { title: input.title }),
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.profileId === undefined ? {} : { profileId: input.profileId }),
      extra: {},
      ...this.behaviour.show(stored, this.now()),
    };
  }
}

function refusal(status: 401 | 403 | 422): Error {
  const facts = { method: 'POST', path: '/v1/publications', sent: 'answered', status } as const;
  return status === 422
    ? new RefusedError('the service answered 422', facts)
    : new AccessError(`the service answered ${status}`, facts);
}
