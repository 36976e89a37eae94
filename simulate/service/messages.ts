import { type Answer } from '../../service/http/exchange';

/** A publication as the service has it. */
export interface Stored {
  id: string;
  /** The video's address; null: another client's. */
  source: string | null;
  title: string | null;
  platform: string;
  profileId: string | null;
  status: string | null;
  at: number;
  /** Its number among all. */
  nth: number;
  fails: boolean;
  deleted: boolean;
  /** For an upload: the versions of the file that its bytes come from. */
  content?: string;
  /** For a direct publish: another id, under which it is listed; null: it isn't. */
  listedAs?: string | null | undefined;
  /** Since when it is `pending`, ms. */
  pendingAt?: number;
  /** It was already missing from a page once. */
  wasMissing: boolean;
}

/** The fields of a JSON body, or of a form. */
export type Fields = Record<string, string>;

export interface Request {
  method: string;
  path: string;
  body: Fields | null;
}

/** Which video it creates a publication of: its address, or its path. */
export function sourceIn({ body }: Pick<Request, 'body'>): string {
  return body?.['video_url'] ?? body?.['video'] ?? '';
}

/** Acknowledged only (interface, section 4.3). */
export function isDirect({ path }: Pick<Request, 'path'>): boolean {
  return path.endsWith('/publish');
}

/** How a request ends for its client: with an answer, or without. */
export type Reply = Answer | 'cut' | 'never';

export function json(status: number, body: object, headers: readonly (readonly [string, string[]])[] = []): Answer {
  return answer(status, JSON.stringify(body), headers);
}

export function answer(status: number, text: string, headers: readonly (readonly [string, string[]])[] = []): Answer {
  return { status, headers: new Map(headers), text, cutShort: undefined };
}
