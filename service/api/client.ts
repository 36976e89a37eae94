import { type DirectPublishResult, type ProfileList, type PublicationPage } from './answers';
import { readDirectPublish, readMessage, readPage, readProfiles } from './answers';
import { type Answered } from '../http/answered';
import { normaliseApiKey } from '../secrets/api-key';
import { parseBaseUrl } from '../connection/base-url';
import { encodedId, keptId } from './half-characters';
import { type CreatePublicationInput, createFields, type DirectPublishInput } from './create-input';
import { type FileSource, VideoFile } from '../upload/video-file';
import { buildForm } from '../upload/multipart';
import { PAGE_SIZE_MAX, PAGE_SIZE_MIN } from '../limits';
import { type Environment, findProxy } from '../connection/proxy';
import { isOneSegment, type Publication, readPublicationAnswer } from './publication';
import { type Profile, readProfileAnswer } from './profile';
import { UnreadableError } from '../errors';
import { createRedactor, type Redactor } from '../secrets/redact';
import { requestFailure } from '../http/request-failure';
import { completeTimeLimits, type TimeLimits } from '../connection/time-limits';
import { CheckedTransport, type KeyCheck } from '../http/checked-transport';
import { type HttpTransport, type Observer, Transport, type TransportOptions } from '../http/transport';
import { type OnProgress, uploadBody, uploadLength } from '../upload/upload';

export interface ServiceClientOptions {
  /** With or without `/v1` and a slash at its end. */
  baseUrl: string;
  /** Line breaks around it, as files have them, are dropped. */
  apiKey: string;
  limits?: Partial<TimeLimits>;
  /** Where `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are looked up; `{}` for no proxy. @default process.env */
  environment?: Environment;
  /** Sends the requests. @default over the network */
  transport?: (options: TransportOptions) => HttpTransport;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Called as the connection accepts the file. */
  onProgress?: OnProgress;
  /**
   * Called once the connection is established, right before the first byte is sent. An exception from it is passed on;
   * then nothing was sent.
   */
  beforeSend?: () => Promise<void> | void;
}

export interface ListPublicationsQuery {
  profileId?: string;
  platform?: string;
  status?: string;
  /** 1 to 100. */
  limit?: number;
  offset?: number;
}

export interface UpdatePublicationPatch {
  title?: string;
  description?: string;
  privacy?: string;
  status?: 'draft' | 'pending';
}

export interface CreatedPublication {
  publication: Publication;
  message: string | null;
  /** 202 by the interface; another 2xx is accepted with a readable publication. */
  httpStatus: number;
}

export interface DeleteResult {
  ok: true;
  message: string | null;
}

/**
 * The publishing service, one account. Every failed request throws a `ServiceError`; nothing is ever sent twice, and
 * retrying is up to the caller. Wrong arguments throw a `RangeError` before anything is sent.
 */
export class ServiceClient {
  /** The same text for one service, however its address was written. */
  readonly baseUrl: string;
  readonly #transport: CheckedTransport;
  readonly #limits: TimeLimits;
  readonly #redact: Redactor;
  readonly #prefix: string;

  /** @throws ServiceConfigError if the address, key, limits or proxy cannot work */
  constructor(options: ServiceClientOptions) {
    const base = parseBaseUrl(options.baseUrl);
    const apiKey = normaliseApiKey(options.apiKey);
    const proxy = findProxy(base.origin, options.environment ?? process.env);
    this.baseUrl = base.href;
    this.#prefix = base.prefix;
    this.#limits = completeTimeLimits(options.limits);
    this.#redact = createRedactor([apiKey, ...(proxy?.secrets ?? [])]);
    const wired = { base, apiKey, proxy, limits: this.#limits, redact: this.#redact };
    this.#transport = new CheckedTransport(options.transport?.(wired) ?? new Transport(wired));
  }

  /** From now on, called with the result of each request; null: success. */
  observe(observer: Observer): void {
    this.#transport.observe(observer);
  }

  /** From now on, nothing but the profiles is requested until the check has found the key to be the account's. */
  checkKey(check: KeyCheck): void {
    this.#transport.checkWith(check);
  }

  /** @throws OtherAccountError if the key isn't the account's; ServiceError if that can't be read */
  demandKey(): Promise<void> {
    return this.#transport.demandKey();
  }

  /** All profiles with their channels (interface, section 4.1). */
  async listProfiles(options: CallOptions = {}): Promise<ProfileList> {
    const answered = await this.#transport.get('/v1/profiles', options.signal);
    return needed(answered, readProfiles(answered.json), 'without a readable list of profiles');
  }

  /** The profiles, and how far (ms) the service's clock is ahead of this machine's; null if it shows none. */
  async probe(options: CallOptions = {}): Promise<ProfileList & { aheadMs: number | null }> {
    const sentAt = Date.now();
    const answered = await this.#transport.get('/v1/profiles', options.signal);
    const shown = Date.parse(answered.date ?? '');
    const list = needed(answered, readProfiles(answered.json), 'without a readable list of profiles');
    return { ...list, aheadMs: Number.isNaN(shown) ? null : aheadOf(shown, sentAt, Date.now()) };
  }

  /** One profile (section 4.2). */
  async getProfile(id: string, options: CallOptions = {}): Promise<Profile> {
    const answered = await this.#transport.get(`/v1/profiles/${idPart(id)}`, options.signal);
    const profile = needed(answered, readProfileAnswer(answered.json), 'without a readable profile');
    return needed(answered, sameId(profile, id), 'with another profile');
  }

  /** One page of publications, newest first (section 4.4). */
  async listPublications(query: ListPublicationsQuery = {}, options: CallOptions = {}): Promise<PublicationPage> {
    const answered = await this.#transport.get(`/v1/publications${queryText(query)}`, options.signal);
    const page = needed(answered, readPage(answered.json), 'without a readable list of publications');
    const servedAt = Date.parse(answered.date ?? '');
    return { ...page, servedAt: Number.isNaN(servedAt) ? null : servedAt };
  }

  /** One publication (section 4.6). */
  async getPublication(id: string, options: CallOptions = {}): Promise<Publication> {
    const answered = await this.#transport.get(`/v1/publications/${idPart(id)}`, options.signal);
    return this.#onePublication(answered, id);
  }

  /**
   * Creates a publication from a file (streamed) or a URL (section 4.5). Unless the error's `sent` is `never`, or it is
   * a `RefusedError` or `AccessError`, the publication may exist anyway.
   */
  async createPublication(input: CreatePublicationInput, options: CreateOptions = {}): Promise<CreatedPublication> {
    const path = '/v1/publications';
    const { source } = input;
    const fields = createFields(input);
    const answered =
      source.kind === 'file'
        ? await this.#upload(path, fields, source, options)
        : await this.#transport.send({
            method: 'POST',
            path,
            ...jsonBody(source.kind === 'url' ? { ...fields, video_url: source.url } : fields),
            answerMs: this.#limits.createAnswerMs,
            signal: options.signal,
            beforeSend: options.beforeSend,
          });
    const publication = readPublicationAnswer(answered.json);
    return {
      publication: this.#masked(needed(answered, publication, 'without a readable publication')),
      message: this.#message(answered),
      httpStatus: answered.status,
    };
  }

  /** Uploads and publishes to a profile's channel (section 4.3). Its outcome cannot be read afterwards. */
  async publishDirect(
    profileId: string,
    input: DirectPublishInput,
    options: CreateOptions = {},
  ): Promise<DirectPublishResult> {
    const path = `/v1/profiles/${idPart(profileId)}/publish`;
    const answered = await this.#upload(path, { platform: input.platform, title: input.title }, input.source, options);
    const result = needed(answered, readDirectPublish(answered.json, answered.status), 'without a readable publish_id');
    return { ...result, message: this.#message(answered) };
  }

  /** Changes a draft or pending publication (section 4.7). */
  async updatePublication(id: string, patch: UpdatePublicationPatch, options: CallOptions = {}): Promise<Publication> {
    const answered = await this.#transport.send({
      method: 'PATCH',
      path: `/v1/publications/${idPart(id)}`,
      ...jsonBody({ ...patch }),
      answerMs: this.#limits.answerMs,
      signal: options.signal,
    });
    return this.#onePublication(answered, id);
  }

  /** Deletes the service's record only; a published video stays (section 4.8). */
  async deletePublication(id: string, options: CallOptions = {}): Promise<DeleteResult> {
    const answered = await this.#transport.send({
      method: 'DELETE',
      path: `/v1/publications/${idPart(id)}`,
      body: null,
      answerMs: this.#limits.answerMs,
      signal: options.signal,
    });
    return { ok: true, message: this.#message(answered) };
  }

  /** Lets running reads end, then closes the connections kept for them. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #upload(
    path: string,
    fields: Record<string, string | undefined>,
    source: FileSource,
    options: CreateOptions,
  ): Promise<Answered> {
    const file = await VideoFile.open(source).catch((error: unknown) => {
      const facts = { method: 'POST', path: this.#prefix + path, sent: 'never' } as const;
      throw requestFailure(error, facts, this.#redact, options.signal);
    });
    try {
      const form = buildForm(fields, file.path);
      return await this.#transport.send({
        method: 'POST',
        path,
        headers: { 'content-type': form.contentType, 'content-length': String(uploadLength(form, file)) },
        body: (deadline) => uploadBody(form, file, deadline, this.#limits, options.onProgress),
        answerMs: this.#limits.uploadStallMs,
        totalMs: this.#limits.uploadTotalMs,
        signal: options.signal,
        beforeSend: options.beforeSend,
      });
    } finally {
      await file.close();
    }
  }

  #onePublication(answered: Answered, id: string): Publication {
    const publication = needed(answered, readPublicationAnswer(answered.json), 'without a readable publication');
    return this.#masked(needed(answered, sameId(publication, id), 'with another publication'));
  }

  #masked(publication: Publication): Publication {
    const { failureReason } = publication;
    return failureReason === undefined ? publication : { ...publication, failureReason: this.#redact(failureReason) };
  }

  #message(answered: Answered): string | null {
    const message = readMessage(answered.json);
    return message === null ? null : this.#redact(message);
  }
}

function needed<T>(answered: Answered, value: T | undefined, what: string): T {
  if (value === undefined) throw answered.unreadable(what);
  return value;
}

/**
 * The header has whole seconds, for a moment between the request and its answer: within that range there is no
 * difference.
 */
function aheadOf(shown: number, sentAt: number, answeredAt: number): number {
  if (shown > answeredAt) return shown - answeredAt;
  return Math.min(0, shown + 1_000 - sentAt);
}

function sameId<T extends { id: string }>(shown: T, asked: string): T | undefined {
  return shown.id.toLowerCase() === keptId(asked).toLowerCase() ? shown : undefined;
}

/** An id as one path segment: `..` would name another resource, and an empty id the list. */
function idPart(id: string): string {
  const what = `the id ${JSON.stringify(id)} can’t be requested: in a path it would mean another address`;
  if (!isOneSegment(id)) throw new UnreadableError(what, { method: 'request', path: '/v1', sent: 'never' });
  return encodedId(id);
}

function queryText(query: ListPublicationsQuery): string {
  const { limit, offset } = query;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= PAGE_SIZE_MIN && limit <= PAGE_SIZE_MAX)) {
    throw new RangeError(`A page has ${PAGE_SIZE_MIN} to ${PAGE_SIZE_MAX} publications, not ${limit}.`);
  }
  if (offset !== undefined && !(Number.isSafeInteger(offset) && offset >= 0)) {
    throw new RangeError(`An offset is a whole number from 0 on, not ${offset}.`);
  }
  const named = { profile_id: query.profileId, platform: query.platform, status: query.status, limit, offset };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}

function jsonBody(value: object): { headers: Record<string, string>; body: Buffer } {
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value), 'utf8') };
}
