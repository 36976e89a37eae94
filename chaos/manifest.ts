import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

const PROFILES = ['Garden', 'Kitchen', 'Travel'] as const;

export interface ManifestRow {
  key: string;
  title: string;
  /** Identifies its video, to distinguish it from rows with the same title. */
  url?: string;
}

type TitleOf = (index: number) => string;

const plainTitle: TitleOf = (index) => `Episode ${index + 1}`;

/**
 * Characters that services are known to rewrite: two spaces, quotes, `&`, emoji, umlauts in Unicode form NFD, and more
 * than the 30 characters after which some truncate. The titles stay distinct after any of these rewritings.
 */
const REWRITABLE: readonly TitleOf[] = [
  plainTitle,
  (index) => `Episode  ${index + 1}:  two   spaces`,
  (index) => `“Quoted” Episode ${index + 1} isn’t plain`,
  (index) => `Salt & Pepper <${index + 1}>`,
  (index) => `🎬 Take ${index + 1} 🌱`,
  (index) => `Grüße aus Köln, Folge ${index + 1}`.normalize('NFD'),
  (index) => `No. ${index + 1} of a series whose title goes far beyond thirty characters`,
];

/** Titles that have nothing in common: a publication that is looked for by its title is found, or doesn't exist. */
export const unlikeTitle: TitleOf = (index) => createHash('sha256').update(String(index)).digest('hex').slice(0, 40);

export function rewritableTitle(index: number): string {
  return (REWRITABLE[index % REWRITABLE.length] ?? plainTitle)(index);
}

/** A CSV of URL rows over six channels, each with a distinct title. `name` distinguishes the videos of two campaigns. */
export async function writeManifest(
  path: string,
  rows: number,
  { name = '', titleOf = plainTitle }: { name?: string; titleOf?: TitleOf } = {},
): Promise<ManifestRow[]> {
  const written: ManifestRow[] = [];
  const lines = ['key,title,video_url,platform,profile,privacy'];
  for (let index = 0; index < rows; index += 1) {
    const key = `ep-${index + 1}`;
    const row = { key, title: titleOf(index), url: `https://media.chaos.internal/${name}${key}.mp4` };
    const long = index % 2 === 1;
    written.push(row);
    lines.push(
      [
        ...[row.key, `"${row.title}"`, row.url, long ? 'long' : 'short'],
        ...[PROFILES[Math.floor(index / 2) % PROFILES.length] ?? '', long ? 'unlisted' : ''],
      ].join(','),
    );
  }
  await writeFile(path, `${lines.join('\n')}\n`);
  return written;
}
