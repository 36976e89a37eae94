import { type Readable } from 'node:stream';
import { type Dispatcher } from 'undici';
import { type Deadline } from '../connection/deadline';

/** Maximum bytes of a failed answer: more is never shown, so more is not read. */
export const ERROR_BODY_MAX = 64 * 1024;
/** Maximum bytes of an answer with data: a page of 100 publications with long descriptions stays far below. */
export const DATA_BODY_MAX = 5 * 1024 * 1024;

export interface ExchangeInput {
  dispatcher: Dispatcher;
  origin: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From the origin on, with its query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | AsyncIterable<Buffer> | null;
  /** Ends the exchange when it fires; the body's source restarts it. */
  deadline: Deadline;
  signal?: AbortSignal | undefined;
  /** Destroys the connection when the signal fires, before the library does so in its own way. */
  cut?: (() => void) | undefined;
  /** If the answer to a success may come before the body is done: resolves when it is. */
  bodyThrough?: (() => Promise<void>) | undefined;
}

/** An answer, as far as it arrived. */
export interface Answer {
  status: number;
  /** Values by lower-case name, in their order. */
  headers: ReadonlyMap<string, readonly string[]>;
  text: string;
  /** Why the body is incomplete: `big`: it exceeded its limit; `cut`: the connection or the time ended first. */
  cutShort: 'big' | 'cut' | undefined;
  /** With `cut`: what ended it. */
  cause?: unknown;
}

/**
 * Sends one request once and reads its answer with a size limit. A rejection means that no status arrived; its reason
 * is then the library's error, the deadline's `LimitReached`, an exception of the body's source, or the signal's
 * reason.
 */
export function exchange(input: ExchangeInput): Promise<Answer> {
  const { dispatcher, deadline, signal } = input;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: Pick<Answer, 'status' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let ended: { reason: Error } | undefined;
    let settled = false;

    const settle = (cutShort: Answer['cutShort'], cause?: Error) => {
      if (settled) return;
      settled = true;
      deadline.clear();
      signal?.removeEventListener('abort', onAbort);
      if (head) resolve({ ...head, text: Buffer.concat(chunks).toString('utf8'), cutShort, cause });
      else reject(cause ?? new Error('the answer had no status'));
    };
    const end = (reason: Error, cutShort: 'big' | 'cut' = 'cut') => {
      ended ??= { reason };
      settle(cutShort, reason);
      controller?.abort(reason);
    };
    const onAbort = () => {
      settle('cut', signal?.reason as Error);
      input.cut?.();
      end(signal?.reason as Error);
    };

    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    deadline.onReached = (reached) => end(reached);

    dispatcher.dispatch(
      {
        origin: input.origin,
        path: input.path,
        method: input.method,
        headers: input.headers,
        // Any async iterable works; the types know only streams.
        body: input.body as Buffer | Readable | null,
        // Our own timers: the library's fire while a body is still being sent.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (ended) started.abort(ended.reason);
        },
        onResponseStart(started, status) {
          // 1xx come before the answer.
          if (status >= 200) head = { status, headers: collectHeaders(started.rawHeaders) };
        },
        onResponseData(_controller, chunk) {
          const bound = head && head.status < 300 ? DATA_BODY_MAX : ERROR_BODY_MAX;
          chunks.push(chunk.subarray(0, bound - size));
          size += chunk.length;
          if (size > bound) end(new Error(`the answer is over ${bound} bytes`), 'big');
        },
        onResponseEnd() {
          if (head && head.status < 300 && input.bodyThrough) void input.bodyThrough().then(() => settle(undefined));
          else settle(undefined);
        },
        onResponseError: (_controller, error) => settle('cut', error),
      },
    );
  });
}

function collectHeaders(raw: Dispatcher.DispatchController['rawHeaders']): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  const list = Array.isArray(raw) ? (raw as (Buffer | string)[]) : [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = String(list[i]).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), String(list[i + 1])]);
  }
  return headers;
}
