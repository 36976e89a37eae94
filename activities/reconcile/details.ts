import { type ServiceClient } from '../../service/api/client';
import { ServiceError } from '../../service/errors';
import { type Publication } from '../../service/api/publication';

/**
 * Adds what the single view shows to listed publications without a title (section 2.3 doesn't define what either
 * shows), for at most `limit` of them.
 */
export async function withDetails(
  client: ServiceClient,
  listed: readonly Publication[],
  options: { limit: number; signal?: AbortSignal | undefined },
): Promise<Publication[]> {
  const detailed: Publication[] = [];
  let fetched = 0;
  for (const publication of listed) {
    if (publication.title !== undefined || fetched >= options.limit) {
      detailed.push(publication);
      continue;
    }
    fetched += 1;
    try {
      const one = await client.getPublication(publication.id, { signal: options.signal });
      detailed.push({ ...publication, ...one });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      detailed.push(publication);
    }
  }
  return detailed;
}
