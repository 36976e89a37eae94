/** Wire values of the platforms (sections 2.2 and 2.3). */
export interface SandboxPlatforms {
  short: string;
  long: string;
  photo: string;
}

export interface SandboxChannel {
  platform: string;
  account_name: string;
  account_id: string;
  /** ISO 8601. */
  connected_at: string;
}

/** A profile as it goes over the wire (section 2.1). */
export interface SandboxProfile {
  id: string;
  name: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  channels: readonly SandboxChannel[];
}

const NAMES = ['Garden', 'Kitchen', 'Travel', 'Workshop', 'Music', 'Science', 'Sports', 'Books', 'Cinema', 'History'];

/** Profiles with fixed ids and names, so that a manifest written once goes on working: Garden, Kitchen, Travel … */
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
      channels: [channel(platforms.short, 'short'), channel(platforms.long, 'long'), channel(platforms.photo, 'photo')],
    };
  });
}
