import { type Answer } from './exchange';
import { AmbiguousError, RedirectError, type RequestName } from '../errors';

const REDIRECTS = [301, 302, 303, 307, 308];

/** Whether an answer redirects the client. */
export function isRedirect(answer: Answer): boolean {
  return REDIRECTS.includes(answer.status) && answer.headers.has('location');
}

/**
 * Where to continue reading, as a path within the same origin.
 * @throws RedirectError if it leads to another origin (the key must not be sent there), or for a change, which is not
 * repeated elsewhere; AmbiguousError instead of the latter for a POST, which may have taken effect anyway
 */
export function checkRedirect(answer: Answer, name: RequestName, from: string): string {
  const origin = new URL(from).origin;
  const location = answer.headers.get('location')?.[0] ?? '';
  const facts = { ...name, sent: 'answered', status: answer.status } as const;
  if (!URL.canParse(location, from)) {
    throw new RedirectError(`the service at ${origin} redirects to an address that cannot be read`, facts);
  }
  const to = new URL(location, from);
  const where = `${origin} redirects to ${to.origin === 'null' ? to.protocol : to.origin} (${answer.status})`;
  if (name.method === 'POST') {
    throw new AmbiguousError(`${where}; a create is never sent again elsewhere. Is the base URL right?`, facts);
  }
  if (name.method !== 'GET')
    throw new RedirectError(`${where}; only reads follow redirects. Is the base URL right?`, facts);
  if (to.origin !== origin) {
    throw new RedirectError(`${where}; the API key is not sent to another origin. Is the base URL right?`, facts);
  }
  return to.pathname + to.search;
}
