import { type Problem } from '../manifests/problems/problems';
import { type ProbedUrl, probeProblems, sampleUrls } from '../manifests/checks/source/probed-url';
import { isPrivateHost } from '../manifests/checks/source/private-host';
import { type ManifestRow } from '../manifests/types';
import { AddressRefusedError, requestPublic } from './public-request';

const AT_ONCE = 8;
const BOUND_MS = 5_000;

/**
 * Tests a few source URLs of each host, as the service will request them, and warns of web pages, logins and missing
 * files. At most three per host, eight at once, five seconds in all; URLs that haven't answered by then cause no
 * warning. No credentials are sent, only the beginning of a file is read, and no private address is requested unless
 * the manifest names it directly.
 */
export async function probeSources(rows: readonly ManifestRow[], boundMs = BOUND_MS): Promise<Problem[]> {
  const signal = AbortSignal.timeout(boundMs);
  const waiting = sampleUrls(rows);
  const probes: { row: ManifestRow; probed: ProbedUrl }[] = [];
  const look = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined && !signal.aborted; row = waiting.shift()) {
      const probed = await probe(row.source ?? '', signal);
      if (probed !== null) probes.push({ row, probed });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  probes.sort((a, b) => a.row.position - b.row.position);
  return probeProblems(probes);
}

async function probe(source: string, signal: AbortSignal): Promise<ProbedUrl | null> {
  try {
    const head = await ask(source, 'HEAD', signal);
    // Signed URLs are often valid for GET only, and some servers don't support HEAD: then a first byte is requested.
    return head.status < 400 ? head : await ask(source, 'GET', signal);
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof AddressRefusedError) return { kind: 'refused', why: error.kind, reason: error.message };
    const code = (error as { code?: unknown }).code;
    const reason = typeof code === 'string' ? REASONS[code] : undefined;
    return reason === undefined ? null : { kind: 'unreachable', reason };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host is not known',
  ECONNREFUSED: 'the connection was refused',
};

/**
 * A private address in the manifest itself is the operator's; where it redirects, or a name resolves to, is decided by
 * the host.
 */
async function ask(
  source: string,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<Extract<ProbedUrl, { kind: 'answer' }>> {
  const own = new URL(source).hostname;
  const answer = await requestPublic(source, {
    method,
    signal,
    allows: (hostname) => hostname === own && isPrivateHost(own),
    headers: method === 'GET' ? { range: 'bytes=0-0' } : {},
  });
  // Never the whole file: a server may not support ranges.
  answer.body.on('error', () => undefined).destroy();
  const { 'content-type': contentType } = answer.headers;
  return {
    kind: 'answer',
    status: answer.statusCode,
    contentType: typeof contentType === 'string' ? contentType : null,
  };
}
