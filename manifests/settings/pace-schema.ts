import { z } from 'zod';

const count = z.union([z.int().min(0), z.string()]);
const texts = z.union([z.string(), z.array(z.string()).min(1)]);

export const TOLERATE_SCHEMA = z
  .union([
    z.string(),
    z.int().min(0),
    z.strictObject({
      failures: z.union([z.string(), z.int().min(0)]).describe('How many rows may fail, as 5% or as a number.'),
      sample: z.int().min(1).optional().describe('Ended rows from which on a share is counted; 20 by default.'),
    }),
  ])
  .describe(
    'How many rows may fail, as 5% (counted from 20 ended rows on) or as a number; beyond it nothing new is sent, in the run or the channel.',
  );

export const CANARY_SCHEMA = z
  .union([
    z.int().min(0),
    z.strictObject({
      rows: z.int().min(0).describe('So many rows of each channel go first.'),
      failures: z.string().optional().describe('Share of them that may fail, such as 10%; none by default.'),
    }),
  ])
  .describe('So many rows of each channel go first; the others wait until these have ended well.');

const rules = {
  concurrency: count.optional().describe('Creates open at once in a channel; 4 by default.'),
  min_gap: z.string().optional().describe('Least time between two creates of a channel, such as 10m.'),
  jitter: z.string().optional().describe('Share of the gap added at random, such as 10% (default).'),
  max_per: texts.optional().describe('At most so many in any stretch of time: 15 per 24h, or a list of those.'),
  hours: texts.optional().describe('Local hours in which is sent: Mon-Fri 09:00-21:00, or a list of those.'),
  timezone: z.string().optional().describe('Zone of the hours; the manifest’s by default.'),
  creates_per_minute: count.optional().describe('Creates a minute of a whole account.'),
  park_on: texts
    .optional()
    .describe('Codes or texts: one failed or rejected row with one of them in it parks its channel at once.'),
  park_after: count.optional().describe('A channel is parked after so many failures in a row (default 5; 0: never).'),
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
      .describe('Rules for some channels; they win over the general ones, later ones over earlier ones.'),
  })
  .describe('How fast each channel may publish.');
