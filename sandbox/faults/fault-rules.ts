import { z } from 'zod';
import { ERROR_BODIES } from './open-choices';
import { HOSTILE_ANSWERS } from './hostile-responses';
import { SandboxOptionError } from '../problem';

/** The endpoints of the interface (section 4), as rules and counters name them. */
export const ENDPOINTS = ['profiles', 'profile', 'direct', 'list', 'create', 'get', 'update', 'delete'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

const count = z.number().int().min(1);
const milliseconds = z.number().min(0);
/** Whether the request takes effect although its answer is broken. */
const accept = z.boolean().optional();

/** Seconds, `date+90` / `date-10` for an HTTP date, or any text sent as it is. A list sends the header several times. */
const retryAfter = z.union([z.number(), z.string()]);

const whenSchema = z.strictObject({
  /** @default 'create' */
  endpoint: z.enum([...ENDPOINTS, 'any']).optional(),
  /** The whole title with `*` for any text, `/regex/flags`, or a RegExp. */
  title: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  platform: z.string().optional(),
  profileId: z.string().optional(),
  /** The id in the path. */
  id: z.string().optional(),
  /** Only the nth request that fits the rest of the condition; 1 is the first. */
  nth: count.optional(),
  /** Every nth of them. */
  every: count.optional(),
  /** A share of them, 0 to 1, chosen by the seed. */
  share: z.number().min(0).max(1).optional(),
  /** Count `nth` and `every` over all requests, or for each publication id (or title, on creates) by itself. @default 'all' */
  per: z.enum(['all', 'item']).optional(),
});

/**
 * What a rule does, by `kind`. Without `accept`, a fault after the request was read stores nothing, unless its comment
 * says otherwise.
 */
const doSchema = z.discriminatedUnion('kind', [
  /** Answers with a status. `accept`: after it took effect. `early`: before the body is read. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.number().int().min(200).max(599),
    accept,
    early: z.boolean().optional(),
    retryAfter: z.union([retryAfter, z.array(retryAfter)]).optional(),
    body: z.enum(ERROR_BODIES).optional(),
  }),
  /** Takes effect (unless `accept: false`), then the connection closes without an answer byte. `reset` sends RST. */
  z.strictObject({ kind: z.literal('lost'), accept, reset: z.boolean().optional() }),
  /** Takes effect (unless `accept: false`), then the answer is cut at the named place. */
  z.strictObject({ kind: z.literal('cut-answer'), at: z.enum(['status-line', 'headers', 'body']).optional(), accept }),
  /** Takes effect only after `ms`, even if the client has gone. `drop` closes the connection at once. */
  z.strictObject({ kind: z.literal('accept-late'), ms: milliseconds, drop: z.boolean().optional() }),
  /** Closes the connection after this many bytes of the video have been read; nothing is stored. */
  z.strictObject({
    kind: z.literal('cut-body'),
    afterBytes: z.number().int().min(0).optional(),
    reset: z.boolean().optional(),
  }),
  /** Never answers; takes effect if `accept`. */
  z.strictObject({ kind: z.literal('hang'), accept }),
  /** Takes effect (unless `accept: false`), then answers 2xx with something unreadable, or hostile to its reader. */
  z.strictObject({
    kind: z.literal('garbage'),
    what: z.enum(['html', 'half-json', 'empty-object', 'empty', 'big-id', 'location-only', ...HOSTILE_ANSWERS]),
    status: z.number().int().min(200).max(299).optional(),
    accept,
  }),
  /** Answers as usual but with this success status, such as 200 on a create. */
  z.strictObject({ kind: z.literal('success-status'), status: z.number().int().min(200).max(299) }),
  /** Shows another `status` in publication objects; null as it is, `missing` leaves the field out. */
  z.strictObject({ kind: z.literal('show-status'), value: z.string().nullable(), missing: z.boolean().optional() }),
  /** Reads the body at this rate. */
  z.strictObject({ kind: z.literal('slow-body'), bytesPerSecond: count }),
  /** Waits before the answer. */
  z.strictObject({ kind: z.literal('slow-answer'), ms: milliseconds }),
  /** Redirects to another address; nothing is stored unless `accept`. */
  z.strictObject({
    kind: z.literal('redirect'),
    status: z.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)]).optional(),
    to: z.string(),
    accept,
  }),
  /** Decides how the publication ends: `never` stays `processing`. */
  z.strictObject({
    kind: z.literal('outcome'),
    outcome: z.enum(['published', 'failed', 'never']),
    afterMs: milliseconds.optional(),
    reason: z.string().optional(),
  }),
  /** Stores other values than were sent, and shows these. */
  z.strictObject({
    kind: z.literal('store-as'),
    title: z.string().optional(),
    description: z.string().optional(),
    privacy: z.enum(['public', 'private', 'unlisted']).optional(),
    profileId: z.string().optional(),
  }),
  /** Takes effect, then a create is answered with the id of the publication accepted before it, if there is one. */
  z.strictObject({ kind: z.literal('reuse-id') }),
  /** Another client publishes on the same account right `before` or `after` this request takes effect. */
  z.strictObject({
    kind: z.literal('foreign'),
    at: z.enum(['before', 'after']).optional(),
    title: z.string().optional(),
  }),
]);

const ruleSchema = z.strictObject({
  /** A name by which the rule can be removed. @default `fault-1`, `fault-2` … */
  id: z.string().optional(),
  when: whenSchema.optional(),
  do: doSchema,
  /** How often the rule applies at most. @default unlimited */
  times: count.optional(),
});

export type FaultAction = z.infer<typeof doSchema>;
export type FaultRule = z.infer<typeof ruleSchema>;
export type FaultKind = FaultAction['kind'];

/** Kinds and their parameters, for reading rule texts and for messages. */
export const FAULT_KINDS: readonly FaultKind[] = doSchema.options.map((option) => option.shape.kind.value);

/**
 * Checks a rule that was given as data.
 * @throws SandboxOptionError naming each wrong part.
 */
export function checkFaultRule(value: unknown, shown: string): FaultRule {
  const result = ruleSchema.safeParse(value);
  if (result.success) return result.data;
  const parts = result.error.issues.map((issue) => `${issue.path.join('.') || 'rule'}: ${issue.message}`);
  throw new SandboxOptionError(
    `Fault rule ${shown} can't be used: ${parts.join('; ')}. Kinds of faults: ${FAULT_KINDS.join(', ')}.`,
  );
}
