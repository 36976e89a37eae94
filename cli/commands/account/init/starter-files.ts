import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as yaml from 'yaml';
import { CONFIG_FILE } from '../../../config/config-file';
import { type Setup } from './init-setup';
import { type SeenProfile } from './inspect-service';
import { DEFAULT_PLATFORMS } from '../../../config/accounts';
import { safeText } from '../../../terminal/safe-text';

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
  /** The config sets which platforms are short and which are long. */
  rolesKnown: boolean;
}

/** Beside the YAML, so that editors can complete and check it without network or settings. */
const SCHEMA_FILE = 'manifest.schema.json';

const EXAMPLE_NOTE = 'Example: replace it with your own video and remove skip.';

/** Writes the config, two starter manifests and the schema for editors; existing files stay, unless forced. */
export async function writeStarterFiles(input: StarterInput): Promise<StarterFiles> {
  const { folder, force } = input;
  const [{ manifestJsonSchema }, library, { guardFormula }] = await Promise.all([
    import('../../../../manifests/settings/schema.js'),
    import('yaml'),
    import('../../../../wording/formula.js'),
  ]);
  const profile = starterProfile(input.profiles[0], (text) => guardFormula(text) === text && safeText(text) === text);
  const skip = !input.setup.sandbox;
  const files: readonly [string, string][] = [
    ...(input.setup.sandbox ? [] : [[CONFIG_FILE, configText(input, library)] as [string, string]]),
    ['campaign.csv', csvText(profile, skip)],
    ['campaign.yaml', yamlText(profile, skip, library)],
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
  return { written, kept, manifest: join(folder, 'campaign.csv'), rolesKnown: rolesKnown(input) };
}

/** How the starter manifests name the account's first profile: by its id if its name can't be written in a sheet. */
function starterProfile(profile: SeenProfile | undefined, isPlain: (text: string) => boolean): string {
  if (profile === undefined) return 'Garden';
  const plain = [profile.name, profile.id].find((text) => text.trim() !== '' && isPlain(text));
  return plain ?? 'default';
}

function rolesKnown({ platforms }: Pick<StarterInput, 'platforms'>): boolean {
  return platforms.length === 0 || DEFAULT_PLATFORMS.some(({ name }) => platforms.includes(name));
}

/**
 * The YAML library writes values, and names that the service chose are in comments on one line without control
 * characters.
 */
function configText({ setup, platforms }: StarterInput, { Document }: typeof yaml): string {
  const roles = DEFAULT_PLATFORMS.map(({ name, kind }) => ({ name, kind }));
  const document = new Document({ base_url: setup.baseUrl, api_key_env: setup.keyVariable });
  document.commentBefore = ' Settings of reelay in this folder and below. Never put a key in this file.';
  const remarks = [' Wire values of the platforms, and their roles.'];
  if (platforms.length > 0) remarks.push(` The account's channels show: ${platforms.map(safeText).join(', ')}`);
  const zone = [' Zone of times without an offset:', ' timezone: Europe/Berlin'];
  if (rolesKnown({ platforms })) {
    const pair = document.createPair('platforms', roles);
    const key = document.createNode('platforms');
    key.commentBefore = remarks.join('\n');
    key.spaceBefore = true;
    pair.key = key;
    document.add(pair);
    document.comment = zone.join('\n');
  } else {
    // The role of a wire value can't be derived from its name: the user decides.
    const lines = roles.map(({ name, kind }) => `   - { name: ${name}, kind: ${kind} }`);
    const roleLines = [' Set the kind of each, then remove the #:', ' platforms:', ...lines];
    document.comment = [...remarks, ...roleLines, '', ...zone].join('\n');
  }
  return String(document);
}

/** Its rows are examples: marked as skipped for a real service, and runnable in the sandbox. */
function csvText(profile: string, skip: boolean): string {
  const cell = /[",;]/.test(profile) ? `"${profile.replaceAll('"', '""')}"` : profile;
  const mark = skip ? 'yes' : 'no';
  const note = skip ? EXAMPLE_NOTE : 'An example.';
  return `key,skip,source,platform,profile,title,description.long,privacy.long
ep-1,${mark},https://example.com/videos/episode-1.mp4,short|long,${cell},Episode 1,${note},private
ep-2,${mark},https://example.com/videos/episode-2.mp4,long,${cell},Episode 2,${note},private
`;
}

function yamlText(profile: string, skip: boolean, { stringify }: typeof yaml): string {
  const video = (number: number, own: object): object => ({
    key: `ep-${String(number)}`,
    ...(skip ? { skip: true } : {}),
    source: `https://example.com/videos/episode-${String(number)}.mp4`,
    ...own,
  });
  const manifest = {
    version: 1,
    campaign: 'campaign-yaml',
    defaults: { profile },
    videos: [
      video(3, { platform: 'short', title: 'Episode 3' }),
      video(4, { platform: 'long', title: 'Episode 4', description: 'The fourth one.', privacy: 'private' }),
    ],
  };
  const lines = [`# yaml-language-server: $schema=./${SCHEMA_FILE}`, ...(skip ? [`# ${EXAMPLE_NOTE}`] : [])];
  // Words such as `no` are quoted, because many YAML readers don't take them as text.
  return `${lines.join('\n')}\n${stringify(manifest, { lineWidth: 0, compat: 'yaml-1.1' })}`;
}
