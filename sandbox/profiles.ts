import { SandboxOptionError } from './problem';

/** Wire values of the platforms (sections 2.2 and 2.3). */
export interface SandboxPlatforms {
  short: string;
  long: string;
  photo: string;
  /** Further platforms that can be published to, by name. */
  more?: Readonly<Record<string, 'short' | 'long'>>;
}

/** The kind of a platform that can be published to; undefined for any other. */
export function kindOf({ short, long, more }: SandboxPlatforms, name: string): 'short' | 'long' | undefined {
  if (name === short) return 'short';
  if (name === long) return 'long';
  return more !== undefined && Object.hasOwn(more, name) ? more[name] : undefined;
}

export interface SandboxChannel {
  platform: string;
  account_name: string;
  account_id: string;
  /** ISO 8601. */
  connected_at: string;
}

/** A profile as sent over the wire (section 2.1). */
export interface SandboxProfile {
  id: string;
  name: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  channels: readonly SandboxChannel[];
}

const NAMES = ['Garden', 'Kitchen', 'Travel', 'Workshop', 'Music', 'Science', 'Sports', 'Books', 'Cinema', 'History'];

/** Profiles with fixed ids and names, so that an existing manifest keeps working: Garden, Kitchen, Travel … */
export function defaultProfiles(count: number, platforms: SandboxPlatforms): SandboxProfile[] {
  return Array.from({ length: count }, (_, index) => {
    const round = Math.floor(index / NAMES.length);
    const name = `${NAMES[index % NAMES.length] ?? ''}${round === 0 ? '' : ` ${String(round + 1)}`}`;
    const number = String(index + 1).padStart(12, '0');
    const handle = name.toLowerCase().replace(' ', '-');
    const channel = (platform: string, kind: string): SandboxChannel => ({
      platform,
      account_name: `${handle}-${kind}`,
      account_id: `${kind}-${String(index + 1)}`,
      connected_at: '2026-01-02T09:30:00.000Z',
    });
    return {
      id: `5a5d0000-0000-4000-8000-${number}`,
      name,
      created_at: '2026-01-01T09:00:00.000Z',
      channels: [
        channel(platforms.short, 'short'),
        channel(platforms.long, 'long'),
        channel(platforms.photo, 'photo'),
        ...Object.keys(platforms.more ?? {}).map((name) => channel(name, name)),
      ],
    };
  });
}

/** A profile of a real service, as the sandbox adopts it. */
export interface AdoptedProfile {
  id: string;
  name: string;
  /** Wire values. */
  platforms: readonly string[];
}

/** Profiles of a real service, then those of the sandbox itself with other names, so that examples keep working. */
export function withAdopted(adopted: readonly AdoptedProfile[], own: readonly SandboxProfile[]): SandboxProfile[] {
  const taken = new Set(adopted.flatMap(({ id, name }) => [id, name.toLowerCase()]));
  const profiles = adopted.map(({ id, name, platforms }, index) => ({
    id,
    name,
    created_at: '2026-01-01T09:00:00.000Z',
    channels: platforms.map((platform) => ({
      platform,
      account_name: `${name} on ${platform}`,
      account_id: `adopted-${String(index + 1)}-${platform}`,
      connected_at: '2026-01-02T09:30:00.000Z',
    })),
  }));
  return [...profiles, ...own.filter(({ id, name }) => !taken.has(id) && !taken.has(name.toLowerCase()))].slice(0, 100);
}

/** The account's profiles, as they were when last listed: what `init` adds later is listed by a running sandbox too. */
export class AccountProfiles {
  #listed: readonly SandboxProfile[];

  constructor(private readonly current: () => readonly SandboxProfile[]) {
    this.#listed = current();
  }

  list(): readonly SandboxProfile[] {
    this.#listed = this.current();
    return this.#listed;
  }

  /** The one with the id, or the default one for a create that names none. */
  find(id: string | null): SandboxProfile | undefined {
    return id === null ? this.#listed[0] : this.#listed.find((one) => one.id === id);
  }
}

/** Reads adopted profiles as `init` wrote them. @throws SandboxOptionError if they can't be read */
export function parseAdopted(text: string): AdoptedProfile[] {
  const isText = (value: unknown): value is string => typeof value === 'string';
  try {
    const { profiles } = JSON.parse(text) as { profiles: { id: unknown; name: unknown; platforms: unknown[] }[] };
    return profiles.map(({ id, name, platforms }) => {
      if (!isText(id) || !isText(name) || !platforms.every(isText)) throw new Error('not of text');
      return { id, name, platforms };
    });
  } catch {
    throw new SandboxOptionError("The file of adopted profiles can't be read: write it again with `reelay init`.");
  }
}
