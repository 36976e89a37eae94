import { z } from 'zod';

const count = z.union([z.int().min(0), z.string()]);
const texts = z.union([z.string(), z.array(z.string()).min(1)]);

export const TOLERATE_SCHEMA = z
  .union([
    z.string(),
    z.int().min(0),
    z.strictObject({
      failures: z.union([z.string(), z.int().min(0)]).describe('How many rows may fail, as 5% or as a number.'),
      sample: z.int().min(1).optional().describe('Minimum number of ended rows before a share counts. Default: 20.'),
    }),
  ])
  .describe(
    'How many rows may fail, as a number or a share such as 5% (once 20 rows have ended). If more fail, nothing new is sent in the run or channel.',
  );

export const CANARY_SCHEMA = z
  .union([
    z.int().min(0),
    z.strictObject({
      rows: z.int().min(0).describe('Number of rows of each channel that go first.'),
      failures: z.string().optional().describe('Share of them that may fail, such as 10%; none by default.'),
    }),
  ])
  .describe('Number of rows of each channel that go first; the others wait until these have succeeded.');

const rules = {
  concurrency: count.optional().describe('Maximum number of creates open at once in a channel. Default: 4.'),
  min_gap: z.string().optional().describe('Minimum time between two creates of a channel, such as 10m.'),
  jitter: z.string().optional().describe('Maximum share of min_gap that is added at random. Default: 10%.'),
  max_per: texts
    .optional()
    .describe(
      'Maximum number of creates in any period of that length, such as 15 per 24h or 5 per hour, or in each day of the calendar (1 per day); or a list of limits, which all apply.',
    ),
  hours: texts
    .optional()
    .describe(
      'Local hours in which rows are sent, such as Mon-Fri 09:00-21:00, Mon-Fri 9-17 or weekdays (all day), or a list. A span may cross midnight.',
    ),
  timezone: z.string().optional().describe('Zone of the hours and of limits per day. Default: the manifest’s.'),
  creates_per_second: count.optional().describe('Maximum number of creates per second for the whole account.'),
  creates_per_minute: count.optional().describe('Maximum number of creates per minute for the whole account.'),
  park_on: texts
    .optional()
    .describe('Codes or texts: one failed or rejected row that contains one parks its channel at once.'),
  park_after: count
    .optional()
    .describe('Number of consecutive failed or rejected rows after which a channel is parked; 0: never. Default: 5.'),
};

export const PACE_SCHEMA = z
  .strictObject({
    ...rules,
    channels: z
      .array(
        z.strictObject({
          account: z.string().optional().describe('Name of the configured account.'),
          profile: z.string().optional().describe('Profile id or name.'),
          platform: z.string().optional().describe('Wire value or kind (short, long).'),
          ...rules,
          tolerate: TOLERATE_SCHEMA.optional(),
          canary: CANARY_SCHEMA.optional(),
        }),
      )
      .optional()
      .describe(
        'The same settings, and tolerate and canary, for channels by profile, platform or account. They override the general ones, and later entries override earlier ones.',
      ),
  })
  .describe('How fast each channel may publish.');
