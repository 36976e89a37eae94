/** One line of a list: an item of the interface, its section, and where it is used or how it is treated. */
export type InterfaceLine = readonly [what: string, section: string, treatment: string];

/** Every endpoint (section 4). */
export const ENDPOINT_LINES: readonly InterfaceLine[] = [
  ['`GET /v1/profiles`', '4.1', '`plan`, `submit`, `run` (profiles of rows), `init`, `profiles list`'],
  [
    '`GET /v1/profiles/:id`',
    '4.2',
    "`profiles show`; the envelope isn't shown, so `{profile: …}` and the bare object are read",
  ],
  ['`POST /v1/profiles/:id/publish`', '4.3', 'rows of `via: direct`'],
  [
    '`GET /v1/publications`',
    '4.4',
    'following (100 a page), the baseline of a run, looking for a lost create, `ledger reconcile`, `publications list`',
  ],
  [
    '`POST /v1/publications`',
    '4.5',
    'every other row: as a file (multipart, streamed), as a URL (JSON), or as a draft',
  ],
  [
    '`GET /v1/publications/:id`',
    '4.6',
    'every end is confirmed by it; retried rows, drafts before a change, `resolve`, `publications show`, `edit`, `delete`, `adopt`',
  ],
  ['`PATCH /v1/publications/:id`', '4.7', 'changed rows whose publication is a draft or pending, `publications edit`'],
  ['`DELETE /v1/publications/:id`', '4.8', '`publications delete`, and the draft that `--recreate` has replaced'],
];

/** Every field that is sent or received. */
export const FIELD_LINES: readonly InterfaceLine[] = [
  ['profile `id`, `name`', '2.1', '`profile` of a row, by either; `profiles`'],
  ['profile `created_at`', '2.1', '`profiles`'],
  [
    'profile `channels`',
    '2.1',
    "`profiles`; a row's platform that its profile doesn't show causes a warning, and is refused for a direct publish",
  ],
  [
    'profiles `profiles`',
    '4.1',
    'read as a whole: one entry without an id makes the list unreadable, instead of hiding a profile',
  ],
  ['profiles `total`', '4.1', 'compared with the number shown; a difference is reported'],
  [
    'channel `platform`',
    '2.2',
    'compared with the configured wire values; the photo platform is shown and never published to',
  ],
  ['channel `account_name`', '2.2', '`profiles`'],
  ['channel `account_id`', '2.2', '`profiles`'],
  ['channel `connected_at`', '2.2', '`profiles`'],
  ['publication `id`', '2.3', '`publication_id` of results; the row owns it in the ledger'],
  [
    'publication `platform`',
    '2.3',
    '`platform` of a row, by wire value or kind; `publications`; evidence for a lost create',
  ],
  ['publication `status`', '2.3', 'the state of a row; unknown ones are followed on and named; `publications`'],
  ['publication `video_id`', '2.3', 'results, `publications`; numbers as well as texts, with all their digits'],
  ['publication `video_url`', '2.3', 'results, report, `publications`'],
  ['publication `privacy`', '2.3', 'results, `publications`'],
  ['publication `published_at`', '2.3', 'results, `publications`'],
  ['create `platform`', '4.5', '`platform` of a row'],
  [
    'create `video`',
    '4.5',
    '`source` of a row that is a path: streamed, its length declared, checked for changes before and after',
  ],
  ['create `video_url`', '4.5', '`source` of a row that is a URL'],
  ['create `title`', '4.5', '`title`'],
  ['create `description`', '4.5', '`description`, long platforms only'],
  [
    'create `privacy`',
    '4.5',
    '`privacy`, long platforms only; a row without one is warned that the service publishes as private',
  ],
  ['create `profile_id`', '4.5', 'the id of `profile`; not sent without one, and with `profile: default`'],
  ['create `status`', '4.5', '`status: draft` or `published`'],
  ['create `publication`, answer', '4.5', 'id and status; the row is `processing` or `drafted`'],
  ['create `message`, answer', '4.5', 'kept with the attempt'],
  ['direct `video`', '4.3', '`source` of a row that is a path'],
  ['direct `platform`', '4.3', '`platform` of a row'],
  ['direct `title`', '4.3', "`title`; without one the service takes the file's name, which is warned of"],
  ['direct `ok`', '2.4', 'an answer that says `ok: false` is taken as lost, whatever its status'],
  ['direct `platform`, answer', '2.4', 'not needed: the row knows its own'],
  ['direct `publish_id`', '2.4', 'results; the row is `submitted`'],
  ['direct `message`', '2.4', 'results'],
  ['list `profile_id`', '4.4', '`publications list --profile`'],
  ['list `platform`', '4.4', '`publications list --platform`'],
  ['list `status`', '4.4', "`publications list --status`; drafts, which it doesn't take, come through the ledger"],
  ['list `limit`, `offset`', '4.4', '`publications list`; elsewhere pages of 100 that overlap'],
  [
    'list `publications`',
    '4.4',
    'read as a whole: one entry without an id makes the page unreadable, instead of hiding one',
  ],
  ['list `total`', '4.4', 'where a page ends the list; without it, pages are read until one is empty'],
  ['get `publication`, answer', '4.6', 'as a publication’s fields say; other envelopes are unreadable, and read again'],
  ['patch `title`', '4.7', "a changed `title` of a draft's row; `publications edit --title`"],
  ['patch `description`', '4.7', 'a changed `description`; `--description`'],
  ['patch `privacy`', '4.7', 'a changed `privacy`; `--privacy`'],
  ['patch `status`', '4.7', '`status: draft` and `pending`; `--status`'],
  ['patch `publication`, answer', '4.7', 'its status is kept with the row'],
  ['delete `ok`, `message`', '4.8', '`publications delete -o json`'],
];

/** Everything that the interface leaves open. */
export const OPEN_LINES: readonly InterfaceLine[] = [
  [
    'wire values of the platforms',
    'notation',
    'configured: `platforms` with names and kinds; names that no channel shows are reported before anything is sent',
  ],
  ['platform values of channels on other platforms', '2.2', 'shown as they come'],
  [
    'further fields of profiles, channels and publications',
    '2.2, 2.3',
    'used as evidence where they have the usual names (`title`, `description`, `profile_id`, `created_at`), else shown as `further`',
  ],
  ['the reason of a failure', '2.3', 'the usual names are tried; without one, results show that the service gave none'],
  ['the envelope of a single profile', '4.2', '`{profile: …}` and the bare object are both read'],
  [
    'what `pending` means, and the moves into and out of it',
    '3, rule 3',
    'can be set on a draft’s row; where it is shown, it is followed like any status that ends nothing',
  ],
  [
    'moves other than those of the table of states',
    '3, rule 4',
    'none is requested: draft → published is refused, `failed` is left by a new publication only',
  ],
  ["success codes other than the create's 202", '4', 'any 2xx with a readable answer'],
  ['outcome of a direct publish', '4', 'shown in results, report and Web UI; a lost answer is `unconfirmed` at once'],
  [
    'whether direct publishes and drafts are listed',
    '4.4',
    'nothing depends on it; what may be a direct publish is not taken for another row’s',
  ],
  [
    'how keys are issued, and the answer to a wrong one',
    '5',
    '401 and 403 park the account or channel, nothing is lost; exit code 4',
  ],
  ['keys’ scopes', '5', 'a missing permission shows up as a refused request'],
  ['events', '6', 'polling, every 5 s at first'],
  [
    'error bodies and codes',
    '7',
    'distinguished by the status alone; at most 300 characters of the body are shown, secrets masked',
  ],
  [
    'the error of each refused condition',
    '7',
    "refused before sending where it can be known; else the service's answer with its status",
  ],
  [
    'rate limits',
    '8',
    '429 and 503 with `Retry-After`: waited for as asked, up to a cap; for a create neither proves that nothing was made',
  ],
  ["size and duration of a publication's video", '8', 'not checked; a refusal of the service is shown'],
  [
    'an idempotency key',
    '4.5',
    'there is none: [a create is never repeated on a guess](../explanation/how-it-works.md)',
  ],
  ['which channel is the default', '4.5', '[pointed out](../tasks/publications.md#profiles) wherever it is used'],
  ['deprecation, other versions', '9', '`/v1` only'],
];

const HEADS = {
  endpoints: { lines: ENDPOINT_LINES, head: ['endpoint', 'section', 'used by'] },
  fields: { lines: FIELD_LINES, head: ['field', 'section', 'where it goes, or comes from'] },
  open: { lines: OPEN_LINES, head: ['not shown', 'section', 'how it is treated'] },
} as const;

/** The lists of docs/reference/interface.md as Markdown tables, by the name of their position in the page. */
export function interfaceTables(): ReadonlyMap<string, string> {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return new Map(
    Object.entries(HEADS).map(([name, { lines, head }]) => [
      name,
      [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n'),
    ]),
  );
}
