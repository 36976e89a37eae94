/** One line of the table of problem codes. */
export interface ProblemCodeInfo {
  readonly severity: 'error' | 'warning';
  /** What is wrong. */
  readonly what: string;
  /** An input that has the problem. */
  readonly example: string;
  /** How to fix it; the hint of a problem unless a more specific one is known. */
  readonly fix: string;
  /** True where the error counts only if the row is still to be sent. */
  readonly onlyToSend?: true;
}

function error(what: string, example: string, fix: string): ProblemCodeInfo {
  return { severity: 'error', what, example, fix };
}

function warning(what: string, example: string, fix: string): ProblemCodeInfo {
  return { severity: 'warning', what, example, fix };
}

function toSend(info: ProblemCodeInfo): ProblemCodeInfo {
  return { ...info, onlyToSend: true };
}

/** Every code a problem of a manifest can have. Codes are stable: scripts rely on them. */
export const PROBLEM_CODES = {
  // The file
  'manifest-unreadable': error(
    'The manifest can’t be read.',
    'reelay check missing.csv',
    'Check the path; it is relative to the current folder.',
  ),
  'manifest-too-large': error(
    'The manifest, or its sheet, is larger than 100 MiB.',
    'a CSV of 200 MB',
    'Split it into several manifests of at most 100 MiB (about 350,000 rows).',
  ),
  'spreadsheet-file': error(
    'The manifest is in a format that isn’t read.',
    'campaign.xls',
    'Save it as an Excel workbook (.xlsx) or as “CSV UTF-8”, and give that file.',
  ),
  'workbook-unreadable': error(
    'The workbook can’t be read.',
    'an .xlsx that was cut off',
    'Open it in its program and save it again as an Excel workbook (.xlsx).',
  ),
  'sheet-missing': error(
    'The workbook has no such sheet.',
    '--sheet Plan of a workbook without a sheet Plan',
    'Give --sheet with the name on the sheet’s tab, or leave it out for the first visible sheet.',
  ),
  'several-sheets': warning(
    'Another sheet of the workbook has values too; only one is read.',
    'sheets Plan and Archive',
    'Name the sheet that is meant: --sheet NAME.',
  ),
  'cell-error': error(
    'A cell of the workbook has an error, or a formula that was never calculated.',
    '#REF!',
    'Correct the formula or write the value itself, and save the workbook in its program.',
  ),
  'merged-cells': error(
    'Cells of the workbook’s rows are merged: only the first of them has a value.',
    'A2:A5',
    'Unmerge them and fill in every row.',
  ),
  'hidden-rows': warning(
    'Hidden rows of the workbook are read like all others.',
    'rows that a filter hides',
    'Delete the rows that are not meant, or put yes into a skip column.',
  ),
  encoding: error(
    'The file isn’t text in the expected encoding.',
    'a CSV saved as Windows-1252',
    'Save it as “CSV UTF-8”, or name its encoding: --encoding windows-1252 (Windows) or macintosh (old Mac).',
  ),
  'no-rows': error(
    'The manifest has no rows.',
    'a header and blank lines only',
    'Add at least one row below the header, or one item under videos.',
  ),
  'campaign-name': error(
    'The campaign’s name isn’t usable.',
    'campaign: Spring Sale!',
    'Use 1 to 100 of a-z, 0-9, “.”, “_”, “-”, starting with a letter or digit; or give --campaign NAME.',
  ),
  'campaign-mixed': error(
    'The reelay_campaign column doesn’t name one campaign.',
    'rows of two result files in one',
    'Submit each campaign’s rows in a separate file.',
  ),
  'channel-changed': error(
    'A row of a results file would go to another channel than before, as a new publication.',
    'a profile edited in a results file',
    'Restore the account and profile; if the other channel is meant, clear reelay_account and reelay_profile_id in the row.',
  ),
  'cells-shifted': error(
    'Rows of a results file have each other’s titles or sources.',
    'a results file in which one column was sorted',
    'Sort all columns together, or write the file again; if the change is meant, clear reelay_title or reelay_source in these rows.',
  ),
  'settings-unknown': warning(
    'A results file is from a campaign that this ledger doesn’t have.',
    'the results of a rehearsal in the sandbox',
    'Submit the manifest itself, or give its settings and defaults as flags (--default, --timezone, --min-gap, …).',
  ),
  'row-unknown': error(
    'A row of a results file isn’t in the ledger.',
    'a key 007 that a spreadsheet made 7',
    'Restore its key and reelay_key; if it is to be published as a new row, clear its reelay_ cells.',
  ),
  // CSV
  'unclosed-quote': error(
    'A quoted cell is never closed, or closes in a later row.',
    '"Season opener,clips/c.mp4',
    'Close the quote, or double it (""), on the line named.',
  ),
  'stray-quote': error(
    'A cell that isn’t quoted contains a quote.',
    '24" screen review,clips/d.mp4',
    'Put the whole cell in quotes and double the quotes in it: "24"" screen review".',
  ),
  delimiter: error(
    'The delimiter isn’t usable.',
    '--delimiter ab',
    'Give one character, or comma, semicolon, tab or pipe.',
  ),
  'extra-cells': error(
    'The row has more cells than the header.',
    'title,file ⏎ Demo, part 1,a.mp4',
    'Put quotes around a cell that contains the delimiter.',
  ),
  'short-row': warning(
    'The row has fewer cells than the header.',
    'title,file,profile ⏎ Demo,a.mp4',
    'Check that the row isn’t broken in two; missing cells count as blank.',
  ),
  'blank-rows': warning(
    'Blank rows were left out.',
    ',,,,',
    'Nothing to do; delete them in the sheet to silence the note.',
  ),
  'header-line': error(
    'Something is above the header: a title, or the names of groups of columns.',
    'Campaign plan December 2026 on line 1; Table 1, as Numbers exports it',
    'Delete the lines above the header; in Numbers, export without table names.',
  ),
  'export-format': error(
    'The file looks like one of another tool, and nothing says how its columns are meant.',
    'Text,Image URL,Tags,Posting Time',
    'Map its columns as the hint says (--column NAME=FIELD, for each), or rename them.',
  ),
  'nameless-column': error(
    'A column without a header has data in it.',
    'title,, ⏎ Demo,a.mp4,',
    'Give the column a header, or empty it.',
  ),
  // Columns and keys
  'column-duplicate': error(
    'Two columns have the same name.',
    'Title,file,title',
    'Rename or delete one of them; case and surrounding spaces are ignored.',
  ),
  'column-unknown': error(
    'The column’s name looks like a field’s, but isn’t one.',
    'visibilty',
    'Use the name suggested, or map the column: columns: {NAME: FIELD}, or --column NAME=FIELD for a CSV; FIELD is ignore for a column of your own.',
  ),
  'column-not-offered': warning(
    'The service has no such field, so the column isn’t sent.',
    'tags',
    'Set it on the platform by hand; columns: {NAME: ignore} or --column NAME=ignore silences the note.',
  ),
  'columns-kept': warning(
    'Columns of your own are kept for the results and not sent.',
    'editor,notes',
    'Nothing to do if they are notes of your own; columns: {NAME: ignore} or --column NAME=ignore silences this.',
  ),
  'column-missing': error(
    'A field that every row needs has no column and no default.',
    'title,profile',
    'Add the column, map one of yours (--column NAME=FIELD), or set a default: --default FIELD=VALUE, or defaults above videos in a YAML.',
  ),
  'columns-setting': error(
    'The columns setting maps to something that isn’t a field, or names no column.',
    'columns: {Clip: sorce}',
    'Map a header of the file to a field or to ignore.',
  ),
  'field-twice': error(
    'A field has two values in one row.',
    'file and video_url both filled',
    'Leave one of them blank.',
  ),
  // YAML
  'yaml-syntax': error(
    'The YAML can’t be read.',
    'a tab as indentation',
    'Fix the line named; indent with spaces only.',
  ),
  'yaml-duplicate-key': error(
    'An item has the same key twice.',
    'two title: lines',
    'Delete one; often a “-” is missing before the second.',
  ),
  'yaml-second-document': error(
    'The file has a second document.',
    '--- in the middle',
    'One manifest, one document: remove the line of three dashes.',
  ),
  'yaml-shape': error(
    'A value has the wrong type, such as a number where a list is expected.',
    'videos: 3',
    'Compare with the examples and the schema (reelay schema).',
  ),
  'yaml-alias': error(
    'An alias can’t be used here.',
    '<<: *unknown',
    'Use the name of an anchor above that holds a mapping; keep aliases few and shallow.',
  ),
  'yaml-tag': error('YAML tags aren’t supported.', 'title: !env TITLE', 'Remove the tag and write the value itself.'),
  'not-text': error('A text field has a value YAML doesn’t read as text.', 'title: 2024', 'Put quotes around it.'),
  'comment-cuts-value': warning(
    'A “#” after a space starts a comment: the value ends before it.',
    'title: Recap #42',
    'Put quotes around the value if the “#” belongs to it; else move the comment to its own line.',
  ),
  'unknown-setting': error(
    'The setting is not known.',
    'time_zone: Europe/Paris',
    'Use the name suggested; keys starting with x- are free for your own use.',
  ),
  'zone-fixed': warning(
    'The time zone has the same offset all year, which is rarely intended.',
    'timezone: Etc/GMT+2 (two hours behind UTC), EST',
    'Name the place, such as Europe/Berlin or America/New_York.',
  ),
  'bad-setting': error(
    'The setting’s value isn’t usable.',
    'late: never',
    'Use a value of the form that the message names.',
  ),
  'sheet-unreadable': error(
    'The CSV that videos points to can’t be used.',
    'videos: missing.csv',
    'Give a CSV’s path relative to the manifest.',
  ),
  // Fields
  'platform-missing': error(
    'The row names no platform.',
    'an empty platform cell',
    'Fill in platform, or set a default: --default platform=NAME, or defaults above videos in a YAML.',
  ),
  'platform-unknown': error(
    'The platform isn’t configured.',
    'platform: shrot',
    'Use a configured platform or its kind; several are separated by |.',
  ),
  'source-missing': error(
    'The row has no video.',
    'an empty source cell',
    'Fill in source; only a draft may lack one.',
  ),
  'source-url': error(
    'The source isn’t a usable http(s) URL.',
    'ftp://example.com/a.mp4',
    'Give a public http:// or https:// URL, or a path.',
  ),
  'url-not-public': warning(
    'The service can’t reach this address from outside.',
    'http://localhost/a.mp4',
    'Give a public URL, or the file’s path.',
  ),
  'url-placeholder': toSend(
    error(
      'The source’s host is reserved for examples; only the sandbox takes it.',
      'https://example.com/a.mp4',
      'Give your video’s own address or path; or rehearse with --sandbox; or set skip to yes.',
    ),
  ),
  'remote-file': error(
    'A manifest from a URL names a file or folder of this machine.',
    '../../etc/passwd in https://feeds.example/daily.csv',
    'Give an http(s) URL, or save the manifest to a file here and use that.',
  ),
  'remote-private-host': error(
    'A manifest from a URL names an address inside your own network.',
    'http://169.254.169.254/ in https://feeds.example/daily.csv',
    'Give a public URL, or allow the host with `private_hosts` in reelay.config.yaml.',
  ),
  'remote-notify': error(
    'A manifest from a URL sets where notices are sent.',
    'notify: {url: …} in https://feeds.example/daily.yaml',
    'Set `notify` in reelay.config.yaml.',
  ),
  'file-missing': toSend(
    error(
      'The file isn’t there.',
      'clips/mispelled.mp4',
      'Paths start at the manifest’s folder and are taken literally.',
    ),
  ),
  'file-not-regular': toSend(error('The source isn’t a regular file.', 'a folder', 'Give the path of a video file.')),
  'file-unreadable': toSend(
    error('The file can’t be read.', 'no permission', 'Allow reading it for the user that runs reelay.'),
  ),
  'file-empty': toSend(error('The file is empty.', 'a file of 0 bytes', 'Export or copy the video again.')),
  'file-not-video': warning(
    'The file’s content isn’t a video format reelay knows.',
    'a web page saved as .mp4',
    'Check that it plays; otherwise export it as MP4.',
  ),
  'file-ending': warning(
    'The file’s name has the ending of another format than its content.',
    'an AVI file named clip.mp4',
    'Rename it, or export it in the format its name says: some services rely on the name.',
  ),
  'title-too-long': error(
    'The title is longer than the service allows.',
    '101 characters for a long platform',
    'Shorten it; title.short and title.long may differ.',
  ),
  'title-length-unclear': warning(
    'The title is within the limit in characters, but not counted in bytes or UTF-16 units.',
    '40 ideographs are 120 bytes',
    'Nothing to do if the service counts characters, as its interface says; shorten it to be sure.',
  ),
  'title-line-break': error('The title has a line break in it.', '"Line one⏎Line two"', 'Write the title on one line.'),
  'title-missing': warning(
    'There is no title.',
    'an empty title cell',
    'Fill in title, or accept what the service shows instead.',
  ),
  'description-too-long': error(
    'The description is longer than the service allows.',
    '5,001 characters',
    'Shorten it to 5,000 characters.',
  ),
  'description-length-unclear': warning(
    'The description is within the limit in characters, but not counted in bytes or UTF-16 units.',
    '4,000 ideographs are 12,000 bytes',
    'Nothing to do if the service counts characters, as its interface says; shorten it to be sure.',
  ),
  'bad-character': error(
    'The text has a control or broken character in it.',
    'U+0000, U+202E, U+FFFD',
    'Delete the character named and type the text again.',
  ),
  'invisible-character': warning(
    'The text has an invisible character in it.',
    'a zero-width space, U+2067',
    'Delete it, unless the text mixes writing directions on purpose; it often comes with pasted text.',
  ),
  'garbled-text': warning(
    'The text looks as if it was read in the wrong encoding.',
    'CafÃ© for Café',
    'Export the sheet again as “CSV UTF-8” from the program where the text is still correct.',
  ),
  'bad-privacy': error(
    'The privacy isn’t one of the service’s.',
    'privacy: publik',
    'Use public, private or unlisted.',
  ),
  'privacy-missing': warning(
    'There is no privacy: the service publishes as private.',
    'an empty privacy cell',
    'Fill in privacy (public, private or unlisted), or set a default: --default privacy=public, or defaults above videos in a YAML.',
  ),
  'privacy-not-offered': error(
    'The platform has no privacy setting, so it would be ignored.',
    'privacy on a short platform',
    'Use privacy.long, or leave privacy out for this platform.',
  ),
  'description-not-offered': error(
    'The platform has no description.',
    'description on a short platform',
    'Use description.long, or leave description out for this platform.',
  ),
  'bad-status': error(
    'The status isn’t one of the three.',
    'status: live',
    'Use published or draft; or pending, for a row that is a draft already.',
  ),
  'bad-via': error('The value of via isn’t one of the two.', 'via: upload', 'Use publication or direct.'),
  'bad-skip': error('skip is neither yes nor no.', 'skip: maybe', 'Use yes or no.'),
  'account-unknown': error(
    'The account isn’t configured, or none is named where several are.',
    'account: gardn',
    'Write the name of an account of reelay.config.yaml, or give --account NAME.',
  ),
  'bad-account': error(
    'The account’s or profile’s name isn’t usable.',
    'a name with a line break',
    'Write it on one line as the service or the configuration shows it.',
  ),
  'bad-time': error(
    'The time can’t be read.',
    'publish_at: 08/06/2026',
    'Write 2026-06-08T18:00:00+02:00, or 2026-06-08 18:00 with a timezone.',
  ),
  'time-zone-missing': error(
    'The time has no offset and the manifest no timezone.',
    'publish_at: 2026-06-08 18:00',
    'Add an offset (+02:00, Z), or give the zone: --timezone Europe/Berlin, or timezone: Europe/Berlin above videos in a YAML.',
  ),
  'time-not-real': error(
    'The clocks skip this local time.',
    '2027-03-28 02:30 in Europe/Paris',
    'Choose another time, or write it with an offset.',
  ),
  'time-twice': error(
    'The clocks show this local time twice.',
    '2026-11-01 01:30 in America/New_York',
    'Write it with the offset you mean.',
  ),
  'times-unread': error(
    'A column that isn’t read has dates to come, and nothing else says when to publish.',
    'a column Datum with 24.12.2026',
    'Map it: --column Datum=publish_at; or, if it is something else, --column Datum=ignore.',
  ),
  'time-past': toSend(
    error(
      'The time has passed.',
      'publish_at: 2020-01-01T00:00:00Z',
      'Correct it; or --past now to send at once, --past skip to leave the row out.',
    ),
  ),
  'time-far': warning('The time is more than a year away.', 'publish_at: 2062-06-08T18:00:00Z', 'Check the year.'),
  'deadline-first': error(
    'The deadline is before publish_at: the row could never be sent.',
    'publish_at: 2027-03-02T18:00Z, deadline: 2027-03-01T18:00Z',
    'Correct one of the two.',
  ),
  'deadline-past': toSend(
    error('The deadline has passed.', 'deadline: 2020-01-01T00:00:00Z', 'Give a later one, or skip: yes.'),
  ),
  'cell-misplaced': error(
    'A cell has a value of another column, whose own cell in this row is blank.',
    'private in the title, and nothing in privacy',
    'Move the value to its own column; if it is where it belongs, fill in that column’s cell too.',
  ),
  'direct-url': error(
    'A direct publish takes a file, not a URL.',
    'via: direct with a URL',
    'Give a file, or leave via out.',
  ),
  'direct-profile': error('A direct publish needs a profile.', 'via: direct without profile', 'Fill in profile.'),
  'direct-field': error(
    'A direct publish takes a title only.',
    'via: direct with privacy',
    'Leave description, privacy and status: draft out, or leave via out.',
  ),
  'direct-too-large': toSend(
    error(
      'The file is too large for a direct publish.',
      'a file of 700 MB',
      'Leave via out: publications have no stated limit.',
    ),
  ),
  'direct-format': toSend(
    error('A direct publish takes MP4, MOV or AVI only.', 'a WebM file', 'Export it as MP4, or leave via out.'),
  ),
  // Identity
  'bad-key': error(
    'The key isn’t usable.',
    'a key of 300 characters',
    'Use 1 to 200 characters without control characters.',
  ),
  'key-needed': error(
    'The row needs a key.',
    'a URL with a query, no key',
    'Fill in key with something that stays the same, such as an episode number.',
  ),
  'key-conflict': error(
    'key and reelay_key differ.',
    'a key edited in a result file',
    'Restore the key; for another video, add a row without reelay_key.',
  ),
  'duplicate-key': error(
    'Two rows of one channel have the same key.',
    'key ep-1 in lines 2 and 9',
    'Give each row a different key.',
  ),
  'duplicate-source': error(
    'Two rows send the same video to one channel.',
    'clips/a.mp4 in lines 2 and 9',
    'Delete one; to send both, give each a key and allow it with repeat: allow (--repeat allow for a CSV).',
  ),
  'same-video': error(
    'Two rows with different keys send the same video to one channel: it would be published twice.',
    'https://example.com/a.mp4 in lines 2 and 9, keys ep-1 and ep-2',
    'Correct the source of the one that was copied, or delete it. If both are meant, allow it with repeat: allow (--repeat allow for a CSV).',
  ),
  // Templates
  'template-placeholder': error(
    'A placeholder can’t be filled in.',
    'title: Show {dat:yyyy}',
    'Write {date:yyyy-MM-dd}; double a literal brace: {{ }}.',
  ),
  'template-key': error(
    'Key and source don’t change with the date together.',
    'key: "ep-{date:yyyy-MM-dd}" with source: show.mp4',
    'Put a placeholder into both, or into the source alone; repeat: every-run needs one in the key.',
  ),
  'template-off': warning(
    'A placeholder is taken literally, as template: true is missing.',
    'title: "Show {date:yyyy-MM-dd}"',
    'Give --template; in a YAML, write template: true above videos.',
  ),
  'file-awaited': warning(
    'A file isn’t there yet or still being written: its row is left for another time.',
    'missing: skip, and the file comes later',
    'Nothing to do; missing: fail refuses the manifest instead.',
  ),
  // Folders
  'folder-unreadable': error(
    'The folder can’t be read.',
    'videos: {folder: incomming}',
    'Give a folder’s path relative to the manifest.',
  ),
  'folder-left': warning(
    'A file of the folder is left for the next time.',
    'a file that is still being copied',
    'Nothing to do.',
  ),
  'folder-again': warning(
    'A file of the folder has the content of one that was already taken: it is left out.',
    'a video that was renamed after it was published',
    'Nothing to do; to publish it again, list it under videos with its own key.',
  ),
  'folder-sidecar': error(
    'The file beside a video doesn’t describe exactly one video.',
    'clip.csv with two rows',
    'Give it a header and one row.',
  ),
  // Addresses of videos
  'url-expires': warning(
    'A signed URL expires before its row is sent.',
    'X-Amz-Expires=3600 and a publish_at of tomorrow',
    'Sign it for longer, or send the row sooner.',
  ),
  'url-answer': warning(
    'A URL doesn’t give the video: nothing is there, or it asks for a login (only a few of each host are checked).',
    'https://videos.example/gone.mp4 (HTTP 404)',
    'Open it in a private window; the service needs a public address. --no-probe skips this check.',
  ),
  'url-page': warning(
    'A URL shows a web page where a video should be (a share link, or one of the few of each host that are checked).',
    'a share link of a cloud drive',
    'Use the address of the file itself. --no-probe skips this check.',
  ),
  // Profiles, known once the service was queried
  'profile-default': warning(
    'No row names a profile: all go to the account’s default channel.',
    'a sheet without a profile column',
    'Fill in profile, or set a default (--default profile=NAME, or defaults above videos in a YAML), unless the default channel is intended.',
  ),
  'profile-missing': error(
    'The row names no profile while others do.',
    'one empty profile cell',
    'Fill in profile, or set a default (--default profile=NAME, or defaults above videos in a YAML); for the account’s default channel write default.',
  ),
  'profile-unknown': error(
    'The account has no such profile.',
    'profile: Gardn',
    'Use an id or a name that reelay profiles lists.',
  ),
  'account-unread': error(
    'The account can’t be read, so the row’s profile is not known. Rows of other accounts are sent.',
    'a wrong key for one of several accounts',
    'Fix the account’s key or wait until it answers, and submit the manifest again.',
  ),
  'profile-ambiguous': error('Several profiles have this name.', 'two profiles named Garden', 'Use the profile’s id.'),
  'profile-platform': warning(
    'The profile shows no channel on this platform.',
    'a profile without a long channel',
    'Connect the channel at the service, or choose another profile.',
  ),
  'platform-not-connected': warning(
    'No channel of the account shows this platform.',
    'a wire value the service never shows',
    'Check the platforms setting: it must hold the service’s own names.',
  ),
} as const satisfies Record<string, ProblemCodeInfo>;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** True for errors that don't matter for a row that is done. */
export function countsOnlyToSend(code: ProblemCode): boolean {
  const info: ProblemCodeInfo = PROBLEM_CODES[code];
  return info.onlyToSend === true;
}
