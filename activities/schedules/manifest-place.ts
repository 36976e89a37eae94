import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';
import { type ManifestSource } from '../../manifests/types';
import { outgoing } from '../notices/outgoing';
import { type ManifestPlace } from './contract';

const BOUND_MS = 60_000;
const BYTES_AT_MOST = 64 * 1024 * 1024;
const REDIRECTS = 5;

/** A manifest behind a URL can't be had: for good (an answer that says so), or for now. */
export class ManifestUnreachableError extends Error {
  override readonly name = 'ManifestUnreachableError';
}

/** The manifest as it is now. @throws ManifestUnreachableError, or ApplicationFailure when it is worth another try */
export async function loadPlace(place: ManifestPlace): Promise<ManifestSource> {
  if (place.kind === 'path') return { path: place.path };
  const signal = AbortSignal.timeout(BOUND_MS);
  let url = place.url;
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const { url: address, ...way } = outgoing(url);
    const answer = await request(address, { signal, ...way }).catch((error: unknown) => {
      throw again(`the manifest ${shownPlace(place)} can’t be read: ${reasonOf(error)}`);
    });
    const { statusCode, headers, body } = answer;
    const { location } = headers;
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string' && URL.canParse(location, url)) {
      await body.dump();
      url = new URL(location, url).href;
      continue;
    }
    if (statusCode !== 200) {
      await body.dump();
      const message = `the manifest ${shownPlace(place)} answered ${statusCode}`;
      throw statusCode >= 500 || statusCode === 429 ? again(message) : new ManifestUnreachableError(message);
    }
    return { text: await bounded(body, place), name: nameOf(place.url), base: place.base };
  }
  throw new ManifestUnreachableError(`the manifest ${shownPlace(place)} is redirected too often`);
}

async function bounded(body: AsyncIterable<Buffer>, place: ManifestPlace): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > BYTES_AT_MOST) throw new ManifestUnreachableError(`the manifest ${shownPlace(place)} is too large`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** For people; never a URL's query, which may be a signature. */
export function shownPlace(place: ManifestPlace): string {
  if (place.kind === 'path') return place.path;
  const url = new URL(place.url);
  return `${url.origin}${url.pathname}`;
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') || 'manifest';
}

function again(message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'ManifestUnreachable' });
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
