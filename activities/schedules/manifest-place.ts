import { ApplicationFailure } from '@temporalio/common';
import { HIDDEN_QUERY } from '../../ledger/model/source';
import { isPrivateHost } from '../../manifests/checks/source/private-host';
import { foreignFormat, WEB_PAGE } from '../../manifests/parse/decode';
import { type ManifestSource } from '../../manifests/types';
import { percentDecoded } from '../../service/connection/proxy';
import { AddressRefusedError, requestPublic } from '../../submissions/public-request';
import { type ManifestPlace } from './contract';

const BOUND_MS = 60_000;
const BYTES_AT_MOST = 64 * 1024 * 1024;

/** A manifest behind a URL can't be read: permanently (according to its server's answer), or for now. */
export class ManifestUnreachableError extends Error {
  override readonly name = 'ManifestUnreachableError';

  constructor(
    message: string,
    /** How to provide one that can be read. */
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

/**
 * The current manifest. The answer of a URL is marked as remote. The URL and its redirects may lead to no host of the
 * operator's own network, except for `privateHosts` and one that the operator named himself, such as
 * `http://localhost/feed.csv`.
 * @throws ManifestUnreachableError, or ApplicationFailure if a retry makes sense
 */
export async function loadPlace(place: ManifestPlace, privateHosts: readonly string[] = []): Promise<ManifestSource> {
  if (place.kind === 'path') return { path: place.path };
  const exported = sheetExport(place.url);
  if (exported !== null)
    throw new ManifestUnreachableError(
      `the manifest ${shownPlace(place)} is the page of a Google Sheet, not its rows`,
      `Give its export link: ${exported} (the sheet has to be shared with everyone who has the link).`,
    );
  const own = new URL(place.url).hostname;
  const { statusCode, body } = await requestPublic(place.url, {
    signal: AbortSignal.timeout(BOUND_MS),
    allows: (hostname) => privateHosts.includes(hostname) || (hostname === own && isPrivateHost(own)),
  }).catch((error: unknown) => {
    if (!(error instanceof AddressRefusedError))
      throw again(`the manifest ${shownPlace(place)} can’t be read: ${reasonOf(error)}`);
    const wayOut = error.kind === 'private' ? ' (private_hosts in the config allows it)' : '';
    throw new ManifestUnreachableError(`the manifest ${shownPlace(place)} ${error.message}${wayOut}`);
  });
  if (statusCode !== 200) {
    await body.dump();
    const message = `the manifest ${shownPlace(place)} answered ${statusCode}`;
    throw statusCode >= 500 || statusCode === 429 ? again(message) : new ManifestUnreachableError(message);
  }
  const text = await bounded(body, place);
  if (foreignFormat(text) === WEB_PAGE)
    throw new ManifestUnreachableError(
      `the manifest ${shownPlace(place)} is a web page, such as a sign-in page, not a file`,
      'Give a link that downloads the file without signing in.',
    );
  return { text, name: nameOf(place.url), base: place.base, remote: { privateHosts, address: keptAddress(place) } };
}

/** The export link of a Google Sheet, for a link that opens it in a browser; null for every other URL. */
export function sheetExport(address: string): string | null {
  const { hostname, pathname, searchParams, hash } = new URL(address);
  const [, id, page = ''] = /^\/spreadsheets\/(?:u\/\d+\/)?d\/([\w-]+)(?:\/(\w*))?/.exec(pathname) ?? [];
  if (hostname !== 'docs.google.com' || id === undefined || id === 'e' || !['', 'edit', 'view'].includes(page))
    return null;
  const gid = /gid=(\d+)/.exec(hash)?.[1] ?? searchParams.get('gid') ?? '0';
  return `https://docs.google.com/spreadsheets/d/${id}/export?format=csv&gid=${encodeURIComponent(gid)}`;
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

/** For people; never with a URL's query, which may be a signature. */
export function shownPlace(place: ManifestPlace): string {
  if (place.kind === 'path') return place.path;
  const url = new URL(place.url);
  return `${url.origin}${url.pathname}`;
}

/** The ledger uses it to recognise the manifest, and to read it again: not possible if its query was left out. */
function keptAddress(place: Extract<ManifestPlace, { kind: 'url' }>): string {
  return `${shownPlace(place)}${new URL(place.url).search === '' ? '' : HIDDEN_QUERY}`;
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
