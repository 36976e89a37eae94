import { connect } from 'node:net';
import { CONTROL_HEADER } from '../../sandbox/routes/control-routes';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { type SandboxOptions } from '../../sandbox/options';

/** Starts sandboxes that end with the test: call in a describe or at the top of a file. */
export function sandboxes(): (options?: SandboxOptions) => Promise<RunningSandbox> {
  const running: RunningSandbox[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map(async (sandbox) => sandbox.close()));
  });
  return async (options = {}) => {
    const sandbox = await startSandbox({ processing: { minMs: 60_000, maxMs: 60_000 }, ...options });
    running.push(sandbox);
    return sandbox;
  };
}

interface WirePublication {
  id: string;
  status: string | null;
  title: string;
  video_id: string;
  video_url: string;
  privacy: string;
  published_at: string;
  created_at: string;
  profile_id: string;
  error: string;
  source: { bytes: number };
}

/** What answers may hold; a test reads what it expects, and fails if it isn't there. */
export interface ReplyJson {
  publication: WirePublication;
  publications: WirePublication[];
  profile: { name: string };
  profiles: { id: string; name: string; channels: { platform: string }[] }[];
  name: string;
  total: number;
  limit: number;
  offset: number;
  message: string;
  ok: boolean;
  publish_id: string;
  error: { code: string; message: string };
  stats: { requests: Record<string, number> };
  ids: string[];
  faults: object[];
  cleared: number;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** An empty object when the answer is no JSON. */
  json: ReplyJson;
}

export type Service = Pick<RunningSandbox, 'baseUrl' | 'apiKey'>;

/** A request with the key; `body` goes as JSON, a FormData as a form. */
export async function call(service: Service, method: string, path: string, body?: unknown): Promise<Reply> {
  const form = body instanceof FormData;
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      ...(path.startsWith('/_sandbox/') ? { [CONTROL_HEADER]: 'test' } : {}),
      ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json = {} as ReplyJson;
  try {
    json = JSON.parse(text) as ReplyJson;
  } catch {
    // Not every answer is JSON, and some tests are about that.
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** A create by URL on the short platform. */
export async function createUrl(service: Service, title: string, more: object = {}): Promise<Reply> {
  return call(service, 'POST', '/v1/publications', urlCreate(title, more));
}

export function urlCreate(title: string, more: object = {}): object {
  return { platform: 'platform_a', title, video_url: 'https://videos.example/a.mp4', ...more };
}

export function videoForm(fields: Record<string, string>, bytes: number | null, name = 'clip.mp4'): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if (bytes !== null) form.append('video', new Blob([Buffer.alloc(bytes, 'x')], { type: 'video/mp4' }), name);
  return form;
}

/** What a client sees on the wire. */
export interface RawReply {
  /** All bytes that came, as text. */
  text: string;
  /** How the connection ended: closed in order, reset, or still open after `untilMs`. */
  end: 'closed' | 'reset' | 'open';
}

/** Sends a JSON create over a plain socket, and returns the answer byte for byte. */
export async function rawCreate(sandbox: RunningSandbox, title: string, untilMs = 5000): Promise<RawReply> {
  const body = JSON.stringify(urlCreate(title));
  const head = `POST /v1/publications HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sandbox.apiKey}\r\n`;
  const type = `content-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\n\r\n`;
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(sandbox.port, '127.0.0.1');
    const timer = setTimeout(() => finish('open'), untilMs);
    const finish = (end: RawReply['end']): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, end });
    };
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => finish('reset'));
    socket.on('close', () => finish('closed'));
    socket.write(head + type + body);
  });
}

const UNTIL_MS = 200_000;

/** Waits until a condition holds; fails with its last answer before the test's limit. */
export async function until<T>(read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + UNTIL_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`Still not so after ${UNTIL_MS / 1_000} s: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function titles(sandbox: RunningSandbox): (string | null)[] {
  return sandbox.publications().map((publication) => publication.title);
}
