import { z } from 'zod';
import { PRIVACIES } from '../../service/limits';
import { CAMPAIGN_NAME, isCampaignName } from '../fields/campaign-name';
import { parseDateFormat } from '../times/date-format';
import { parseDuration } from '../../wording/duration';
import { FIELD_ALIASES, FIELD_NAMES, FIELDS, type FieldName } from '../fields/fields';
import { FOLDER_SCHEMA } from './folder-setting';
import { isTimeZone } from '../times/local-time';
import { zoneRule } from '../times/zone-hints';
import { parseMissing } from './missing-files';
import { NOTIFY_SCHEMA } from './notify-setting';
import { CANARY_SCHEMA, PACE_SCHEMA, TOLERATE_SCHEMA } from './pace-schema';
import { SCHEDULE_SCHEMA } from './schedule-setting';

const VALUES: Partial<Record<FieldName, z.ZodType>> = {
  platform: z.union([z.string(), z.array(z.string()).min(1)]),
  privacy: z.enum(PRIVACIES),
  status: z.enum(['published', 'draft', 'pending']),
  via: z.enum(['publication', 'direct']),
  skip: z.union([z.boolean(), z.enum(['yes', 'no'])]),
  key: z.string().min(1).max(200),
};

// `title:` without a value is blank and takes the default.
function fieldShape(names: readonly FieldName[]): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {};
  for (const name of names) {
    const { description, perPlatform } = FIELDS[name];
    const value = z.union([VALUES[name] ?? z.string(), z.null()]).optional();
    shape[name] = value.describe(description);
    if (!perPlatform) continue;
    // Short platforms take neither (interface, 4.5), so editors don't offer them.
    const kinds = name === 'description' || name === 'privacy' ? ['long'] : ['short', 'long'];
    for (const kind of kinds)
      shape[`${name}.${kind}`] = value.describe(`${name} for ${kind} platforms only; overrides ${name}.`);
  }
  return shape;
}

const aliasShape = Object.fromEntries(
  Object.entries(FIELD_ALIASES).map(([alias, field]) => [
    alias,
    z.union([z.string(), z.null()]).optional().describe(`The same as ${field}.`),
  ]),
);

/** Fields that identify a row's video, and so can't have a default. */
export const NOT_DEFAULTABLE: ReadonlySet<string> = new Set(['key', 'source', 'skip']);

const rowSchema = z
  .looseObject({ ...fieldShape(FIELD_NAMES), ...aliasShape })
  .describe('One video. Keys of your own are kept for the results and not sent.');
const defaultsSchema = z
  .strictObject(fieldShape(FIELD_NAMES.filter((name) => !NOT_DEFAULTABLE.has(name))))
  .describe('Values for fields that a row leaves blank.');

/** The settings above `videos`, each with its check. Messages complete the sentence “NAME must be …”. */
export const SETTINGS = {
  version: z.literal(1, 'must be 1').describe('Version of this format: 1.'),
  campaign: z
    .string('must be text')
    .regex(CAMPAIGN_NAME, 'must be 1 to 100 of a-z, 0-9, “.”, “_”, “-”, starting with a letter or digit')
    .refine(isCampaignName, 'can’t be a reserved word')
    .describe(
      'The campaign’s name, 1 to 100 of a-z, 0-9, “.”, “_”, “-”; the same in every submit. Default: the file’s name.',
    ),
  timezone: z
    .string('must be text')
    .refine(isTimeZone, { error: ({ input }) => zoneRule(input) })
    .describe('Zone of times without an offset, such as Europe/Berlin.'),
  date_format: z
    .string('must be text')
    .refine(
      (text) => parseDateFormat(text) !== undefined,
      'must have day, month and year, such as DD/MM/YYYY or MM/DD/YYYY h:mm A',
    )
    .describe('Format of times that aren’t ISO 8601, such as MM/DD/YYYY h:mm A; never guessed.'),
  columns: z
    .record(
      z.string(),
      z.string('must map headers to field names or ignore'),
      'must map headers to field names or ignore',
    )
    .describe('Header (or key) → field, several fields with + between them, or ignore for a column of your own.'),
  late: z
    .enum(['publish', 'hold', 'skip'], 'must be publish, hold or skip')
    .describe(
      'What to do with a publish_at missed by more than 1 hour: hold (default; the row waits for you), publish or skip.',
    ),
  give_up_after: z
    .string('must be a duration such as 24h, 90m or 2d')
    .refine((text) => parseDuration(text) !== undefined, 'must be a duration such as 24h, 90m or 2d')
    .describe('How long a publication may process before its row is overdue. Default: 24h.'),
  ambiguous: z
    .enum(['reconcile', 'hold'], 'must be reconcile or hold')
    .describe(
      'When the answer to a create was lost: reconcile (default; find it, or repeat it once it is proven absent), or hold (never repeat it automatically).',
    ),
  repeat: z
    .enum(['refuse', 'allow', 'every-run'], 'must be refuse, allow or every-run')
    .describe(
      'A source that its channel already has from another campaign, or that two rows send to it: refuse (default) or allow. every-run: publish the same rows at each firing, under keys with a placeholder.',
    ),
  pace: PACE_SCHEMA,
  tolerate: TOLERATE_SCHEMA,
  canary: CANARY_SCHEMA,
  take: z
    .int('must be a whole number from 1')
    .min(1, 'must be a whole number from 1')
    .describe('Number of rows per firing or submit, in the manifest’s order: a drip.'),
  schedule: SCHEDULE_SCHEMA,
  notify: NOTIFY_SCHEMA,
  template: z
    .boolean('must be true or false')
    .describe(
      'true: placeholders in source, title and key are filled in from the nominal local date, as in show-{date:yyyy-MM-dd}.mp4.',
    ),
  missing: z
    .string('must be wait with a duration, skip or fail')
    .refine((text) => parseMissing(text) !== undefined, 'must be wait with a duration (wait 2h), skip or fail')
    .describe('A file that isn’t there when its time comes: fail (default), skip its row, or wait for it (wait 2h).'),
} as const;

export type SettingName = keyof typeof SETTINGS;

const optionalSettings = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, schema]) => [name, schema.optional().describe(schema.description ?? name)]),
);

/** A YAML manifest. Reading checks more than a schema can express: lines, limits by platform, files, times. */
export const manifestSchema = z
  .object({
    ...optionalSettings,
    defaults: defaultsSchema.optional(),
    videos: z
      .union([z.array(rowSchema).min(1), z.string().min(1), FOLDER_SCHEMA])
      .describe('The videos: a list, the path of a CSV relative to this file, or a folder to watch.'),
  })
  .describe('A reelay manifest: one campaign of videos.');

/** The manifest as JSON Schema (draft-7), for editors. Keys starting with `x-` are the user's own. */
export function manifestJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(manifestSchema, { target: 'draft-7', unrepresentable: 'any' }) as Record<
    string,
    unknown
  >;
  return { ...schema, title: 'reelay manifest', patternProperties: { '^x-': {} }, additionalProperties: false };
}
