import { z } from 'zod';
import { parseDuration } from '../../wording/duration';

/** `videos: {folder: …}`: each video file of a folder is a row. */
export interface FolderSetting {
  folder: string;
  /** For file names, with `*` and `?`; without it, every file with a video extension. */
  patterns: readonly string[];
  /** A template: `{name}`, `{modified:yyyy-MM-dd}`. */
  title: string;
  sidecar: 'optional' | 'required' | 'none';
  /** A file changed within this many ms is left for the next time. */
  settledMs: number;
}

export const VIDEO_ENDINGS = ['mp4', 'm4v', 'mov', 'avi', 'mkv', 'webm', 'flv', 'wmv', 'mpg', 'mpeg', 'ogv', 'ts'];
const DEFAULT_SETTLED_MS = 10_000;

const pattern = z
  .string('must be text')
  .min(1, 'must not be empty')
  .refine((text) => !text.includes('/'), 'is for file names, without a folder');

/** Messages complete the sentence “videos.KEY …”. */
export const FOLDER_SCHEMA = z
  .strictObject({
    folder: z
      .string('must be a folder’s path')
      .min(1, 'must be a folder’s path')
      .describe('A folder, relative to this file. Each video file in it is a row, known by its path.'),
    pattern: z
      .union([pattern, z.array(pattern).min(1)], 'must be a pattern such as *.mp4, or a list of them')
      .optional()
      .describe('File names to include, with * and ?. Default: every video file.'),
    title: z
      .string('must be text')
      .optional()
      .describe(
        'Title of a file: {name} (default) is its name without the ending, {modified:yyyy-MM-dd} its last change.',
      ),
    sidecar: z
      .enum(['optional', 'required', 'none'], 'must be optional, required or none')
      .optional()
      .describe('Fields of clip.mp4 in clip.yaml or clip.csv beside it: optional (default), required, or none.'),
    settled: z
      .string('must be a duration such as 30s')
      .refine((text) => parseDuration(text) !== undefined, 'must be a duration such as 30s')
      .optional()
      .describe('A file changed within this time is left for the next firing or submit. Default: 10s.'),
  })
  .describe('A watched folder.');

/** A checked folder, or what is wrong with it: a sentence without its end. */
export function readFolderSetting(value: unknown): FolderSetting | { fault: string } {
  const checked = FOLDER_SCHEMA.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    if (issue?.code === 'unrecognized_keys') {
      const known = Object.keys(FOLDER_SCHEMA.shape).join(', ');
      return { fault: `videos has no “${issue.keys[0] ?? ''}” beside a folder; there is ${known}` };
    }
    return { fault: `${['videos', ...(issue?.path ?? []).map(String)].join('.')} ${issue?.message ?? 'isn’t usable'}` };
  }
  const { folder, pattern, title, sidecar, settled } = checked.data;
  return {
    folder,
    patterns: pattern === undefined ? VIDEO_ENDINGS.map((ending) => `*.${ending}`) : [pattern].flat(),
    title: title ?? '{name}',
    sidecar: sidecar ?? 'optional',
    settledMs: settled === undefined ? DEFAULT_SETTLED_MS : (parseDuration(settled) ?? DEFAULT_SETTLED_MS),
  };
}

/** Whether a file's name fits one of the patterns; upper and lower case don't matter. */
export function fitsPattern(name: string, patterns: readonly string[]): boolean {
  const characters = Array.from(name.toLowerCase());
  return patterns.some((pattern) => fits(characters, Array.from(pattern.toLowerCase())));
}

/**
 * `*` matches any characters, `?` one, everything else itself. Only the newest `*` is ever extended, so that the time
 * is at most name × pattern; a regular expression made from the pattern (as picomatch does) tries every `*` against
 * every other.
 */
function fits(name: readonly string[], pattern: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    if (pattern[part] === '*') {
      star = part;
      starAt = at;
      part += 1;
    } else if (pattern[part] === '?' || pattern[part] === name[at]) {
      at += 1;
      part += 1;
    } else if (star !== -1) {
      starAt += 1;
      at = starAt;
      part = star + 1;
    } else return false;
  }
  return pattern.slice(part).every((character) => character === '*');
}
