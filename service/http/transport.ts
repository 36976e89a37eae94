import { Pool } from 'undici';
import { type Answered, readAnswer } from './answered';
import { type BaseUrl } from '../connection/base-url';
import { type ConnectOptions, cutConnection, openConnection } from '../connection/connection';
import { Deadline } from '../connection/deadline';
import { flush, keepOpenPastAnswer, trackBody } from './early-answer';
import { type RequestName, type Sent, ServiceError } from '../errors';
import { exchange } from './exchange';
import { closedBeforeSending, createFreshClient, isClosed } from '../connection/fresh-client';
import { type Proxy } from '../connection/proxy';
import { type Redactor } from '../secrets/redact';
import { checkRedirect, isRedirect } from './redirect';
import { requestFailure } from './request-failure';
import { type TimeLimits } from '../connection/time-limits';

/** Connections kept for reads. */
const READ_CONNECTIONS = 16;
const REDIRECTS_MAX = 5;

/** Called when a request has ended; null: with an answer that is no failure. */
export type Observer = (failure: ServiceError | null) => void;

export interface TransportOptions {
  base: BaseUrl;
  apiKey: string;
  proxy: Proxy | undefined;
  limits: TimeLimits;
  redact: Redactor;
}

export interface SendInput {
  method: 'POST' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body: Buffer | null | ((deadline: Deadline) => AsyncIterable<Buffer>);
  /** From sending to the complete answer, in ms; a streamed body sets its own phases. */
  answerMs: number;
  totalMs?: number | null;
  signal?: AbortSignal | undefined;
  beforeSend?: (() => Promise<void> | void) | undefined;
}

/** What a client needs of it. */
export type HttpTransport = Pick<Transport, 'get' | 'send' | 'observe' | 'close'>;

/** Sends requests and classifies how they ended. Reads share kept-alive connections; every other request has its own. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #pool: Pool;
  #observer: Observer = () => undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#pool = new Pool(options.base.origin, {
      connections: READ_CONNECTIONS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        openConnection(this.#connectOptions()).then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error as Error, null),
        );
      },
    });
  }

  /**
   * Reads. Redirects are followed within the origin only, so that the key is never sent to another.
   * @param path from `/v1` on, with its query
   */
  async get(path: string, signal: AbortSignal | undefined): Promise<Answered> {
    return this.#observed(this.#get(path, signal));
  }

  async #get(path: string, signal: AbortSignal | undefined): Promise<Answered> {
    const { base, limits, redact } = this.#options;
    const deadline = new Deadline(limits.answerMs, 'the service did not finish its answer');
    let target = base.prefix + path;
    const name: RequestName = { method: 'GET', path: withoutQuery(target) };
    for (let hop = 0; ; hop++) {
      const answer = await exchange({
        dispatcher: this.#pool,
        origin: base.origin,
        method: 'GET',
        path: target,
        headers: this.#headers(),
        body: null,
        deadline,
        signal,
      }).catch((error: unknown) => {
        throw requestFailure(error, { ...name, sent: 'perhaps' }, redact, signal);
      });
      if (!isRedirect(answer) || hop === REDIRECTS_MAX) return readAnswer(answer, name, redact, signal);
      target = checkRedirect(answer, name, base.origin + target);
    }
  }

  /** Sends a request that changes something: once, on a new connection, following no redirect. */
  async send(input: SendInput): Promise<Answered> {
    return this.#observed(this.#send(input));
  }

  /** From now on, called with the result of each request. */
  observe(observer: Observer): void {
    this.#observer = observer;
  }

  async #observed(request: Promise<Answered>): Promise<Answered> {
    try {
      const answered = await request;
      this.#observer(null);
      return answered;
    } catch (error) {
      if (error instanceof ServiceError) this.#observer(error);
      throw error;
    }
  }

  async #send(input: SendInput): Promise<Answered> {
    const { base, limits, redact } = this.#options;
    const { method, signal, body } = input;
    const path = base.prefix + input.path;
    const name: RequestName = { method, path };
    const failed = (sent: Sent) => (error: unknown) => {
      throw requestFailure(error, { ...name, sent }, redact, signal);
    };

    const socket = await openConnection({ ...this.#connectOptions(), signal }).catch(failed('never'));
    const client = createFreshClient(base.origin, socket);
    try {
      await input.beforeSend?.();
      if (signal?.aborted) failed('never')(signal.reason);
      if (isClosed(socket)) failed('never')(closedBeforeSending(base.origin));

      const deadline = new Deadline(input.totalMs ?? null, 'the upload did not finish');
      deadline.phase(input.answerMs || limits.answerMs, 'the service did not finish its answer');
      const upload = typeof body === 'function' ? trackBody(body(deadline)) : undefined;
      if (upload) keepOpenPastAnswer(socket);
      const answer = await exchange({
        dispatcher: client,
        origin: base.origin,
        method,
        path,
        // When asked to close, some servers close with their answer, even if the upload isn't done.
        headers: { ...this.#headers(), ...input.headers, ...(upload ? {} : { connection: 'close' }) },
        body: upload ? upload.body : (body as Buffer | null),
        bodyThrough: upload && (() => upload.ended.then(() => flush(socket))),
        deadline,
        signal,
        cut: () => cutConnection(socket),
      }).catch(failed('perhaps'));
      if (isRedirect(answer)) checkRedirect(answer, name, base.origin + path);
      return readAnswer(answer, name, redact, signal);
    } finally {
      void client.destroy();
      socket.destroy();
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #connectOptions(): ConnectOptions {
    const { base, proxy, limits } = this.#options;
    return { origin: base.origin, proxy, limitMs: limits.connectMs };
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.apiKey}`, accept: 'application/json', 'user-agent': 'reelay' };
  }
}

function withoutQuery(path: string): string {
  return path.split('?', 1)[0] ?? path;
}
