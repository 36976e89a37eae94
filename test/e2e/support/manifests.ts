import { writeFile } from 'node:fs/promises';

/** Writes a CSV campaign of URL rows, spread over profiles and both platforms. Returns its titles, in order. */
export async function writeCampaign(
  path: string,
  rows: number,
  options: { profiles?: readonly string[]; title?: (index: number) => string; host?: string } = {},
): Promise<string[]> {
  const profiles = options.profiles ?? ['Garden', 'Kitchen'];
  const titles: string[] = [];
  const lines = ['key,title,video_url,platform,profile,privacy'];
  for (let index = 0; index < rows; index += 1) {
    const title = options.title?.(index) ?? `Episode ${index + 1}`;
    const long = index % 4 >= 2;
    titles.push(title);
    lines.push(
      [
        `ep-${index + 1}`,
        title,
        `https://${options.host ?? 'videos.example'}/ep-${index + 1}.mp4`,
        long ? 'long' : 'short',
        profiles[index % profiles.length] ?? '',
        long ? 'unlisted' : '',
      ].join(','),
    );
  }
  await writeFile(path, `${lines.join('\n')}\n`);
  return titles;
}
