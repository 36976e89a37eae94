import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_FILE } from '../../../config/config';
import { type Setup } from './init-setup';
import { type SeenProfile } from './inspect-service';
import { DEFAULT_PLATFORMS } from '../../../config/accounts';

export interface StarterInput {
  folder: string;
  setup: Setup;
  /** Wire values that the account's channels show. */
  platforms: readonly string[];
  profiles: readonly SeenProfile[];
  force: boolean;
}

export interface StarterFiles {
  written: string[];
  kept: string[];
  /** The starter manifest to run first. */
  manifest: string;
}

/** Beside the YAML, so that editors complete and check it without network or settings. */
const SCHEMA_FILE = 'manifest.schema.json';

/** Writes the config, two starter manifests and the schema for editors; files that are there stay, unless forced. */
export async function writeStarterFiles(input: StarterInput): Promise<StarterFiles> {
  const { folder, force } = input;
  const profile = input.profiles[0]?.name ?? 'Garden';
  const { manifestJsonSchema } = await import('../../../../manifests/settings/schema.js');
  const files: readonly [string, string][] = [
    ...(input.setup.sandbox ? [] : [[CONFIG_FILE, configText(input)] as [string, string]]),
    ['campaign.csv', csvText(profile)],
    ['campaign.yaml', yamlText(profile)],
    [SCHEMA_FILE, `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`],
  ];
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of files) {
    const path = join(folder, name);
    try {
      await writeFile(path, text, { flag: force ? 'w' : 'wx' });
      written.push(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      kept.push(path);
    }
  }
  return { written, kept, manifest: join(folder, 'campaign.csv') };
}

function configText({ setup, platforms }: StarterInput): string {
  const seen = platforms.length === 0 ? '' : `# The account's channels show: ${platforms.join(', ')}\n`;
  const known = DEFAULT_PLATFORMS.filter((platform) => platforms.includes(platform.name));
  const lines = DEFAULT_PLATFORMS.map(({ name, kind }) => `  - { name: ${name}, kind: ${kind} }`).join('\n');
  // Which wire value has which role can't be told from its name: a person says it.
  const own =
    platforms.length === 0 || known.length > 0
      ? `platforms:\n${lines}\n`
      : `# Say which is which, then remove the #:\n# platforms:\n${lines.replace(/^/gm, '# ')}\n`;
  return `# Settings of reelay in this folder and below. Never put a key into this file.
base_url: ${JSON.stringify(setup.baseUrl)}
api_key_env: ${setup.keyVariable}

# Wire values of the platforms, and their roles.
${seen}${own}
# Zone of times without an offset:
# timezone: Europe/Berlin
`;
}

function csvText(profile: string): string {
  const cell = /[",\n\r]/.test(profile) ? `"${profile.replaceAll('"', '""')}"` : profile;
  return `key,source,platform,profile,title,description.long,privacy.long
ep-1,https://example.com/videos/episode-1.mp4,short|long,${cell},Episode 1,The first one.,private
ep-2,https://example.com/videos/episode-2.mp4,long,${cell},Episode 2,The second one.,private
`;
}

function yamlText(profile: string): string {
  return `# yaml-language-server: $schema=./${SCHEMA_FILE}
version: 1
campaign: campaign-yaml
defaults:
  profile: ${JSON.stringify(profile)}
videos:
  - key: ep-3
    source: https://example.com/videos/episode-3.mp4
    platform: short
    title: "Episode 3"
  - key: ep-4
    source: https://example.com/videos/episode-4.mp4
    platform: long
    title: "Episode 4"
    description: "The fourth one."
    privacy: private
`;
}
