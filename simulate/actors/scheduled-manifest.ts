import { type ScheduleDefinition } from '../../activities/schedules/contract';
import { BEGINNING } from '../clock/virtual-time';
import { type UserFiles } from '../user-files';
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
    const cells = [
      `k${position}`,
      sourceOf(world, campaign, position),
      title.replaceAll('"', ''),
      row?.platform ?? 'platform_b',
    ];
    return [...cells, 'profile-1'].map((cell) => `"${cell}"`).join(',');
  });
  const text = `key,source,title,platform,profile\n${lines.join('\n')}\n`;
  // Without its last line's end: that line may look like a whole one.
  const half = `key,source\n${lines.map((line) => line.split(',').slice(0, 2).join(',').replaceAll('"', '')).join('\n')}`;
  files.write(pathOf(campaign), isHalf ? half.slice(0, -'.mp4'.length) : text);
}
