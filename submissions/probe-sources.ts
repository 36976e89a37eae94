import { request } from 'undici';
import { type Problem } from '../manifests/problems/problems';
import { type ProbedUrl, probeProblems, sampleUrls } from '../manifests/checks/source/probed-url';
import { type ManifestRow } from '../manifests/types';

const AT_ONCE = 8;
const BOUND_MS = 5_000;
const REDIRECTS = 5;

/**
 * Looks at a few source URLs of each host, as the service will: warnings for pages, logins and what isn't there. At most
 * three a host, eight at once, five seconds in all; what didn't answer by then isn't complained about. No credential goes
 * along, and no more than the head of a file is read.
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
    // Signed URLs are often good for GET alone, and some servers know no HEAD: a first byte is asked for then.
    return head.status < 400 ? head : await ask(source, 'GET', signal);
  } catch (error) {
    if (signal.aborted) return null;
    const code = (error as { code?: unknown }).code;
    const reason = typeof code === 'string' ? REASONS[code] : undefined;
    return reason === undefined ? null : { kind: 'unreachable', reason };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host is not known',
  ECONNREFUSED: 'the connection was refused',
};

async function ask(
  source: string,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<Extract<ProbedUrl, { kind: 'answer' }>> {
  let url = source;
  for (let hop = 0; ; hop++) {
    const answer = await request(url, { method, signal, headers: method === 'GET' ? { range: 'bytes=0-0' } : {} });
    // Never the file itself: a server may not know ranges.
    answer.body.on('error', () => undefined).destroy();
    const { location, 'content-type': contentType } = answer.headers;
    const redirected = answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string';
    if (!redirected || hop === REDIRECTS || !URL.canParse(location, url)) {
      return {
        kind: 'answer',
        status: answer.statusCode,
        contentType: typeof contentType === 'string' ? contentType : null,
      };
    }
    url = new URL(location, url).href;
  }
}
