import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Setup } from './init-setup';
import { type Output } from '../../../terminal/output';
import { plural, safeText } from '../../../terminal/safe-text';

export interface SeenProfile {
  id: string;
  name: string;
  /** Wire values its channels show. */
  platforms: string[];
}

export interface SeenService {
  profiles: SeenProfile[];
  /** Every wire value seen, sorted. */
  platforms: string[];
}

/** Calls the service with the key and returns what it has. @throws ServiceError if it can't be reached or refuses */
export async function inspectService(setup: Setup, output: Output): Promise<SeenService> {
  output.hide(setup.apiKey);
  const { ServiceClient } = await import('../../../../service/api/client.js');
  const client = new ServiceClient({ baseUrl: setup.baseUrl, apiKey: setup.apiKey });
  try {
    const { profiles } = await client.listProfiles();
    const seen = profiles.map((profile) => ({
      id: profile.id,
      name: profile.name ?? '',
      platforms: [...new Set(profile.channels.flatMap((channel) => channel.platform ?? []))].sort(),
    }));
    const platforms = [...new Set(seen.flatMap((profile) => profile.platforms))].sort();
    output.note(
      `The service answers: ${plural(seen.length, 'profile')}, platforms ${platforms.map(safeText).join(', ') || 'none shown'}`,
    );
    return { profiles: seen, platforms };
  } finally {
    await client.close();
  }
}

/** Stores the result where the sandbox finds it, so that the same manifests can be rehearsed. */
export async function keepForRehearsal(path: string, { profiles }: SeenService): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${String(process.pid)}`;
  await writeFile(draft, `${JSON.stringify({ version: 1, profiles }, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
