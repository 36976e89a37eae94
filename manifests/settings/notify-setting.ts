import { z } from 'zod';

/** The events of notices: the end of a run, something parked, a scheduled firing whose manifest was refused. */
export const NOTICE_KINDS = ['ended', 'parked', 'refused'] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** `notify` of a manifest. A command is for the configuration only: a manifest may come from elsewhere. */
export interface NotifySetting {
  url: string;
  /** @default all */
  on?: readonly NoticeKind[];
}

/** Messages complete the sentence “notify …”. */
export const NOTIFY_SCHEMA = z
  .strictObject(
    {
      url: z
        .string('needs url: an http(s) address')
        .refine((text) => /^https?:/i.test(text) && URL.canParse(text), 'needs url: an http(s) address')
        .describe('Gets each notice as JSON by POST.'),
      on: z
        .array(z.enum(NOTICE_KINDS, 'on is a list of ended, parked, refused'), 'on is a list of ended, parked, refused')
        .min(1, 'on is a list of ended, parked, refused')
        .optional()
        .describe('Which notices; all by default.'),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? 'has url and on only; a command is set in reelay.config.yaml'
          : 'must be a mapping, such as {url: https://hooks.example/reelay}',
    },
  )
  .describe(
    'Address that is notified when a run ends, when something is parked, and when a scheduled manifest is refused.',
  );
