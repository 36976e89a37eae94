import { createHash } from 'node:crypto';
import { BEGINNING } from '../clock/virtual-time';
import { type Owner, type Scheduler } from '../clock/scheduler';
import { type Fate, type World } from '../world/world';
import { HIDDEN, ORDERS, SHOWN_TITLES } from './behaviours';
import { answer, type Fields, isDirect, json, type Reply, type Request, sourceIn, type Stored } from './messages';

/** Minimum age (ms) at which a publication is missing from a page; the next ones are slightly older. */
const GLITCH_FROM_MS = 2_500;
const GLITCH_APART_MS = 500;

const WELL: Fate = { stores: 'at-once', answers: 'well' };

/**
 * The publishing service as its interface describes it; what the interface leaves open is set by the world. Answers are
 * created when a request arrives, so that a list moves while it is read.
 */
export class Service implements Owner {
  readonly name = 'service';
  alive = true;
  frozenUntil = 0;
  readonly stored: Stored[] = [];
  /** Videos that it stored although it answered with a refusal. */
  readonly denied = new Set<string>();
  /** False once nothing fails any more. */
  failing = true;
  /** Called with each new publication of ours. */
  onStored: (stored: Stored) => void = () => undefined;
  private readonly creates = new Map<string, number>();
  private wentWell = 0;
  /** While reads are stale: the first publication that they don't show, and from when until when (ms). */
  private stale = { from: Infinity, since: 0, until: 0 };

  constructor(
    private readonly scheduler: Scheduler,
    private readonly world: World,
    private readonly fateOf: (source: string, nth: number) => Fate | undefined,
    private readonly failsAt: (source: string, nth: number) => boolean,
  ) {}

  /** Whether a connection to it can be established. */
  connects({ method, body }: Request): boolean {
    const { outage } = this.world;
    if (outage !== undefined && this.isWithin(outage)) return false;
    if (method !== 'POST') return true;
    const source = sourceIn({ body });
    const nth = (this.creates.get(source) ?? 0) + 1;
    if (!this.failing || this.fateOf(source, nth)?.answers !== 'unreachable') return true;
    this.creates.set(source, nth);
    return false;
  }

  /** Takes a request that has arrived. */
  receive(request: Request): Reply {
    const { method, path, body } = request;
    const url = new URL(path, 'https://service.example');
    if (method === 'POST') return this.create(request);
    if (this.failsReads()) return this.scheduler.random.pick([json(500, {}), json(503, {}), 'cut', 'never']);
    const [, , kind, id] = url.pathname.split('/');
    if (kind === 'profiles') return this.profiles(id);
    if (id === undefined) return this.list(url.searchParams);
    const found = this.listed.find((one) => (one.listedAs ?? one.id) === decodeURIComponent(id));
    const isHidden = this.world.staleList?.byId === true && method === 'GET' && found !== undefined;
    if (found === undefined || (isHidden && this.isTooNew(found))) return json(404, { error: 'no such publication' });
    if (method === 'PATCH') return this.change(found, body ?? {});
    if (method === 'DELETE') {
      found.deleted = true;
      this.scheduler.note(this, `deletes the record of ${found.id.slice(0, 8)}`);
      return this.orLost(json(200, { ok: true, message: 'deleted' }));
    }
    return json(200, { publication: this.view(found) });
  }

  /** Refuses a form before it has received all of it. */
  refusesEarly({ body }: Request): boolean {
    const source = sourceIn({ body });
    const fate = this.failing ? this.fateOf(source, (this.creates.get(source) ?? 0) + 1) : undefined;
    return fate?.stores === 'never' && typeof fate.answers === 'number' && source.length % 2 === 0;
  }

  /** What it shows, by the ids under which it shows it. */
  private get listed(): Stored[] {
    return this.stored.filter(({ deleted, listedAs }) => !deleted && listedAs !== null);
  }

  /** Drafts and pending ones only (interface, section 4.7). */
  private change(found: Stored, patch: Fields): Reply {
    const status = this.statusOf(found);
    if (status !== 'draft' && status !== 'pending') return json(409, { error: `it is ${status}` });
    if (patch['title'] !== undefined) found.title = patch['title'];
    if (patch['status'] !== undefined) found.status = patch['status'];
    if (patch['status'] === 'pending') found.pendingAt = this.scheduler.now;
    this.scheduler.note(this, `changes ${found.id.slice(0, 8)} to ${JSON.stringify(patch)}`);
    return this.orLost(json(200, { publication: this.view(found) }));
  }

  /** The effect may happen without an answer. */
  private orLost(reply: Reply): Reply {
    return this.failsReads() ? 'cut' : reply;
  }

  /** Another client publishes. */
  add(title: string | null, at = this.scheduler.now): void {
    this.store({ source: null, title, platform: 'platform_b', profileId: 'profile-1', status: null }, at);
  }

  statusOf(stored: Stored): string {
    if (stored.status === 'draft') return 'draft';
    const { processingMs, publishesPendingMs = Infinity } = this.world.service;
    const since = stored.status === 'pending' ? (stored.pendingAt ?? 0) + publishesPendingMs : stored.at;
    // Without its record it is not processed further.
    if (this.scheduler.now < since || (stored.status === 'pending' && stored.deleted)) return 'pending';
    if (this.scheduler.now < since + processingMs) return 'processing';
    return stored.fails ? 'failed' : 'published';
  }

  private create(request: Request): Reply {
    const body = request.body ?? {};
    const source = sourceIn(request);
    const nth = (this.creates.get(source) ?? 0) + 1;
    this.creates.set(source, nth);
    const fate = (this.failing ? this.fateOf(source, nth) : undefined) ?? WELL;
    const { title = null, platform = '', profile_id = null, status = null } = body;
    const direct = isDirect(request) ? { listedAs: this.directId(source, nth) } : {};
    const content = body['content'] === undefined ? {} : { content: body['content'] };
    const given = { source, title, platform, profileId: profile_id, status, ...content, ...direct };
    if (typeof fate.stores === 'object') {
      this.scheduler.add(this, fate.stores.lateMs, null, () => this.store(given));
      return fate.answers === 'cut' ? 'cut' : 'never';
    }
    const made = fate.stores === 'at-once' ? this.store(given) : undefined;
    if (made !== undefined && (fate.answers === 403 || fate.answers === 422)) this.denied.add(source);
    switch (fate.answers) {
      case 'cut':
      case 'never':
        return fate.answers;
      case 'garbage':
        return answer(200, '<html>Welcome</html>');
      case 'another-id': {
        const other = this.listed.find((one) => one.source !== null && one.title !== title && one.title !== null);
        return json(202, { publication: this.view(other ?? (made as Stored)), message: 'poll it' });
      }
      case 'unreachable':
      case 'well': {
        const stored = made ?? this.store(given);
        const { staleList } = this.world;
        this.wentWell += 1;
        if (this.wentWell === staleList?.nth) {
          const since = this.scheduler.now + (staleList.afterMs ?? 0);
          this.stale = { from: stored.nth, since, until: since + staleList.forMs };
        }
        if (isDirect(request)) return json(200, { publish_id: stored.id, platform, message: 'taken' });
        return json(202, { publication: this.view(stored), message: 'poll it' });
      }
      default: {
        const wait: [string, string[]][] =
          fate.retryAfterS === undefined ? [] : [['retry-after', [String(fate.retryAfterS)]]];
        return answer(fate.answers, JSON.stringify({ error: 'not today' }), wait);
      }
    }
  }

  /** The id under which it lists a direct publish; null: it doesn't. Undefined: the one that it answers with. */
  private directId(source: string, nth: number): string | null | undefined {
    const { listsDirect } = this.world.service;
    if (listsDirect === undefined) return null;
    return listsDirect === 'under its id' ? undefined : uuidOf(`${this.world.order}/${source}/${nth}`);
  }

  private store(
    given: Pick<Stored, 'source' | 'title' | 'platform' | 'profileId' | 'status' | 'content' | 'listedAs'>,
    at?: number,
  ): Stored {
    const nth = this.stored.length + 1;
    const mine = this.stored.filter(({ source }) => source !== null && source === given.source).length + 1;
    const id = uuidOf(`${this.world.order}/${nth}`);
    const fails = given.source !== null && this.failsAt(given.source, mine);
    const made: Stored = { id, at: at ?? this.scheduler.now, nth, fails, deleted: false, wasMissing: false, ...given };
    this.stored.push(made);
    this.scheduler.note(this, `stores ${id.slice(0, 8)} “${given.title ?? ''}” ${given.source ?? '(somebody else’s)'}`);
    if (given.source !== null) this.onStored(made);
    return made;
  }

  private list(query: URLSearchParams): Reply {
    const { listOutage, service } = this.world;
    if (listOutage !== undefined && this.isWithin(listOutage)) return json(500, {});
    const { now } = this.scheduler;
    const hidden = HIDDEN[service.hides] ?? (() => false);
    let all = this.listed
      .filter((one) => one.at + service.lagMs <= now && !hidden(one, now, service.processingMs))
      .sort(ORDERS[service.order]);
    const limit = Number(query.get('limit') ?? 20);
    const offset = Number(query.get('offset') ?? 0);
    all = all.filter((one) => !this.isTooNew(one));
    if (service.glitches && this.failing) all = all.filter((one) => !this.isMissing(one));
    const page = all.slice(offset, offset + Math.min(limit, service.pageMax)).map((one) => this.view(one));
    return json(
      200,
      { publications: page, limit, offset, ...(service.hasTotal ? { total: all.length } : {}) },
      this.dated(),
    );
  }

  private isTooNew({ nth }: Stored): boolean {
    const { now } = this.scheduler;
    return this.failing && now >= this.stale.since && now < this.stale.until && nth >= this.stale.from;
  }

  private isMissing(one: Stored): boolean {
    const age = this.scheduler.now - one.at;
    if (one.wasMissing || one.source === null || age < GLITCH_FROM_MS + (one.nth % 5) * GLITCH_APART_MS) return false;
    one.wasMissing = true;
    return true;
  }

  private profiles(id: string | undefined): Reply {
    const profile = { id: 'profile-1', name: 'Garden', created_at: isoAt(0), channels: [] };
    return json(200, id === undefined ? { profiles: [profile], total: 1 } : { profile: { ...profile, id } });
  }

  private view(stored: Stored): Record<string, unknown> {
    const { service } = this.world;
    const status = this.statusOf(stored);
    const title = stored.title === null ? undefined : SHOWN_TITLES[service.titles]?.(stored.title, stored.nth);
    return {
      id: stored.listedAs ?? stored.id,
      platform: service.renamesPlatforms ? `x-${stored.platform}` : stored.platform,
      status,
      video_id: status === 'published' ? `v-${stored.nth}` : null,
      video_url: null,
      ...(title === undefined ? {} : { title }),
      ...(service.titles === 'not at all' ? {} : { profile_id: stored.profileId }),
      ...(service.showsCreatedAt ? { created_at: isoAt(stored.at) } : {}),
    };
  }

  private dated(): [string, string[]][] {
    return this.world.service.hasDate ? [['date', [new Date(BEGINNING + this.scheduler.now).toUTCString()]]] : [];
  }

  private failsReads(): boolean {
    return this.failing && this.scheduler.random.chance(this.world.service.failingReads);
  }

  private isWithin({ atMs, forMs }: { atMs: number; forMs: number }): boolean {
    return this.failing && this.scheduler.now >= atMs && this.scheduler.now < atMs + forMs;
  }
}

function isoAt(ms: number): string {
  return new Date(BEGINNING + ms).toISOString();
}

/** An id that says nothing about what was made before or after it. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
