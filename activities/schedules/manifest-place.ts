import { lookup } from 'node:dns/promises';
import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';
import { isPrivateAddress, isPrivateHost } from '../../manifests/checks/source/private-host';
import { type ManifestSource } from '../../manifests/types';
import { percentDecoded } from '../../service/http/proxy';
import { outgoing } from '../notices/outgoing';
import { type ManifestPlace } from './contract';

const BOUND_MS = 60_000;
const BYTES_AT_MOST = 64 * 1024 * 1024;
const REDIRECTS = 5;

/** A manifest behind a URL can't be had: for good (an answer that says so), or for now. */
export class ManifestUnreachableError extends Error {
  override readonly name = 'ManifestUnreachableError';
}

/**
 * The manifest as it is now. What a URL answers with is marked as remote; its redirects go to no host of the operator's own
 * network, but for `privateHosts` and the one that the operator named.
 * @throws ManifestUnreachableError, or ApplicationFailure when it is worth another try
 */
export async function loadPlace(place: ManifestPlace, privateHosts: readonly string[] = []): Promise<ManifestSource> {
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
      const next = new URL(location, url);
      await demandPublic(next, place, privateHosts);
      url = next.href;
      continue;
    }
    if (statusCode !== 200) {
      await body.dump();
      const message = `the manifest ${shownPlace(place)} answered ${statusCode}`;
      throw statusCode >= 500 || statusCode === 429 ? again(message) : new ManifestUnreachableError(message);
    }
    return { text: await bounded(body, place), name: nameOf(place.url), base: place.base, remote: { privateHosts } };
  }
  throw new ManifestUnreachableError(`the manifest ${shownPlace(place)} is redirected too often`);
}

/** @throws ManifestUnreachableError for a redirect to another scheme, or into the operator's own network */
async function demandPublic(
  { protocol, hostname }: URL,
  place: Extract<ManifestPlace, { kind: 'url' }>,
  privateHosts: readonly string[],
): Promise<void> {
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ManifestUnreachableError(`the manifest ${shownPlace(place)} is redirected to a ${protocol} address`);
  if (hostname === new URL(place.url).hostname || privateHosts.includes(hostname)) return;
  // A name that can't be resolved here (behind a proxy, say) reaches nothing here either.
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  if (!isPrivateHost(hostname) && !addresses.some(({ address }) => isPrivateAddress(address))) return;
  throw new ManifestUnreachableError(
    `the manifest ${shownPlace(place)} is redirected to ${hostname}, an address inside your own network (private_hosts in the config allows it)`,
  );
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
  return percentDecoded(new URL(url).pathname.split('/').at(-1) ?? '') || 'manifest';
}

function again(message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'ManifestUnreachable' });
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
