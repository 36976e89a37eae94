import { writeFile } from 'node:fs/promises';

const PROFILES = ['Garden', 'Kitchen', 'Travel'] as const;

export interface ManifestRow {
  key: string;
  title: string;
}

/** A CSV of URL rows over six channels, each with a title of its own. */
export async function writeManifest(path: string, rows: number): Promise<ManifestRow[]> {
  const written: ManifestRow[] = [];
  const lines = ['key,title,video_url,platform,profile,privacy'];
  for (let index = 0; index < rows; index += 1) {
    const row = { key: `ep-${index + 1}`, title: `Episode ${index + 1}` };
    const long = index % 2 === 1;
    written.push(row);
    lines.push(
      [
        ...[row.key, row.title, `https://videos.example/${row.key}.mp4`, long ? 'long' : 'short'],
        ...[PROFILES[Math.floor(index / 2) % PROFILES.length] ?? '', long ? 'unlisted' : ''],
      ].join(','),
    );
  }
  await writeFile(path, `${lines.join('\n')}\n`);
  return written;
}
