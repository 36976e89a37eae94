import { type ScheduleDefinition } from '../../activities/schedules/contract';
import { BEGINNING } from '../clock/virtual-time';
import { type UserFiles } from '../stand-ins/user-files';
import { type World } from '../world/world';
import { ACCOUNT } from './worker-process';
import { campaignName, GIVE_UP_MS, sourceOf } from './operator';

const pathOf = (campaign: number): string => `/manifests/${campaignName(campaign)}.csv`;

/** What a schedule does at each firing. */
export function definitionOf(world: World): ScheduleDefinition {
  const { schedule } = world;
  const campaign = schedule?.campaign ?? 0;
  const made = new Date(BEGINNING - 1_000).toISOString();
  return {
    schedule: 'daily',
    manifest: { kind: 'path', path: pathOf(campaign) },
    read: {
      platforms: [
        { name: 'platform_a', kind: 'short' },
        { name: 'platform_b', kind: 'long' },
      ],
      settings: { giveUpAfterMs: GIVE_UP_MS, ambiguous: world.campaigns[campaign]?.ambiguous ?? 'reconcile' },
    },
    account: ACCOUNT,
    zone: 'UTC',
    keyed: 'utc',
    take: schedule?.take ?? null,
    vanished: 'keep',
    overlap: schedule?.overlap ?? 'skip',
    lateMs: 3_600_000,
    pauseAfter: 0,
    since: made,
    born: made,
  };
}

/** Writes the manifest of a scheduled campaign with the given number of rows, or the first half of it. */
export function writeManifest(
  files: UserFiles,
  world: World,
  campaign: number,
  { rows, isHalf = false }: { rows: number; isHalf?: boolean },
): void {
  const lines = Array.from({ length: rows }, (_, position) => {
    const row = world.campaigns[campaign]?.rows[position];
    const title = row === undefined ? `Added ${position}` : (row.title ?? `Untitled ${position}`);
    const place = row?.platform ?? 'platform_b';
    return [`k${position}`, title, place, 'profile-1', sourceOf(world, campaign, position)].join(',');
  });
  const text = `key,title,platform,profile,source\n${lines.join('\n')}\n`;
  // Without the end of its last line, which looks like a whole one.
  files.write(pathOf(campaign), isHalf ? text.slice(0, -'.mp4\n'.length) : text);
}
