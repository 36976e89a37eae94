import { lookup, type LookupAddress } from 'node:dns';
import { type LookupFunction } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { isPrivateAddress, isPrivateHost } from '../manifests/checks/source/private-host';
import { outgoing } from '../service/http/outgoing';

const REDIRECTS = 5;

/** An address, or one of its redirects, leads where no request may go. The message continues a sentence: “… leads to X”. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  constructor(
    readonly kind: 'private' | 'scheme' | 'redirects',
    message: string,
  ) {
    super(message);
  }
}

/** `allows`: hosts of the operator's own network that may be requested anyway. */
export interface PublicRequest {
  signal: AbortSignal;
  allows: (hostname: string) => boolean;
  method?: 'GET' | 'HEAD';
  headers?: Record<string, string>;
}

/**
 * Requests an address that someone else may have written, and follows its redirects. Each of them has to be on the
 * public internet, unless its host is allowed. A name is resolved once, and the connection goes to the result: a DNS
 * server that answers differently the second time changes nothing. Behind a proxy, the proxy connects; a name that
 * resolves to a private address here is refused anyway.
 * @throws AddressRefusedError, or the error that made the request fail
 */
export async function requestPublic(address: string, options: PublicRequest): Promise<Dispatcher.ResponseData> {
  const { signal, allows, method = 'GET' } = options;
  let url = address;
  for (let hop = 0; ; hop++) {
    const { hostname } = new URL(url);
    const { url: target, headers, dispatcher: proxy } = outgoing(url);
    const allowed = allows(hostname);
    if (!allowed && isPrivateHost(hostname)) throw privateHost(hostname);
    if (!allowed && proxy !== undefined) await demandPublicName(hostname);
    const dispatcher = proxy ?? (allowed ? undefined : publicOnly);
    const answer = await request(target, {
      method,
      signal,
      headers: { ...options.headers, ...headers },
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const { location } = answer.headers;
    const redirected = answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string';
    if (!redirected || !URL.canParse(location, url)) return answer;
    answer.body.on('error', () => undefined).destroy();
    const next = new URL(location, url);
    if (next.protocol !== 'http:' && next.protocol !== 'https:')
      throw new AddressRefusedError('scheme', `is redirected to a ${next.protocol} address`);
    if (hop === REDIRECTS) throw new AddressRefusedError('redirects', 'is redirected too often');
    url = next.href;
  }
}

function privateHost(hostname: string): AddressRefusedError {
  return new AddressRefusedError('private', `leads to ${hostname}, an address inside your own network`);
}

const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const found: readonly LookupAddress[] = error === null ? addresses : [];
    const [first] = found;
    if (error !== null) done(error, []);
    else if (first === undefined || found.some(({ address }) => isPrivateAddress(address)))
      done(privateHost(hostname), []);
    else if (options.all === true) done(null, [...found]);
    else done(null, first.address, first.family);
  });
};

/** Connects to public addresses only. */
const publicOnly = new Agent({ connect: { lookup: publicLookup } });

/** A name that can't be resolved here is left to the proxy. */
async function demandPublicName(hostname: string): Promise<void> {
  const addresses = await new Promise<LookupAddress[]>((resolve) =>
    lookup(hostname, { all: true }, (error, found) => resolve(error === null ? found : [])),
  );
  if (addresses.some(({ address }) => isPrivateAddress(address))) throw privateHost(hostname);
}
