import { hash } from 'node:crypto';
import { dirname, isAbsolute } from 'node:path';

/** Query parameters that sign a URL or let it expire: they change from export to export, while the video stays the same. */
const SIGNING =
  /^(x-amz-.*|x-goog-.*|x-ms-.*|awsaccesskeyid|googleaccessid|key-pair-id|policy|signature|sig|sign|expires|expiry|exp|hmac|hash|token|auth|access_token|se|sp|sr|st|sv|spr|skoid|sktid|skt|ske|sks|skv)$/i;

/**
 * What distinguishes one source from another: the path, or the URL without the parameters that only sign it. Never
 * shown.
 */
export function sourceIdentity(source: string): string {
  if (!/^https?:/i.test(source)) return source;
  try {
    const url = new URL(source);
    const kept = [...url.searchParams].filter(([name]) => !SIGNING.test(name)).sort();
    url.search = new URLSearchParams(kept).toString();
    url.hash = '';
    url.username = '';
    url.password = '';
    return url.href;
  } catch {
    return source;
  }
}

/** A short hash of the source's identity, for looking up where else it was sent. */
export function sourceHash(source: string | null): string {
  return source === null ? '' : hash('sha256', sourceIdentity(source)).slice(0, 32);
}

/** Shown in place of a URL's query, which may be a signature. */
export const HIDDEN_QUERY = '?…';

/** The source as it may be shown: a URL's query, user and fragment are hidden. */
export function maskUrl(source: string): string {
  if (!/^https?:/i.test(source)) return source;
  const bare = source.replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
  const end = bare.search(/[?#]/);
  if (end < 0) return bare;
  return `${bare.slice(0, end)}${bare[end] === '?' ? HIDDEN_QUERY : '#…'}`;
}

/** The last part of a path or of a URL's path; empty when there is none. */
export function baseName(source: string): string {
  const bare = /^https?:/i.test(source) ? source.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') : source;
  const last = bare.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  try {
    return /^https?:/i.test(source) ? decodeURIComponent(last) : last;
  } catch {
    return last;
  }
}

/** The folder where a row's relative source starts: its own, else its manifest's; null for a manifest from the network. */
export function sourceFolder(cells: Readonly<Record<string, string>>, manifestPath: string | null): string | null {
  const own = cells.reelay_folder;
  if (own !== undefined && own !== '') return own;
  return manifestPath !== null && isAbsolute(manifestPath) ? dirname(manifestPath) : null;
}
