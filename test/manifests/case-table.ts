import { type ReadOptions } from '../../manifests/types';

/** What a file of `cases/` is read as. */
export interface Case {
  options?: Partial<ReadOptions>;
  /** All of them, as `severity line column code`. */
  problems: readonly string[];
  /** All of them, as `line · platform · title · privacy · time`, what is null left out; long ones shortened. */
  rows: readonly string[];
}

/** Manifests as people really write them, each a file, with exactly what they are read as. */
export const CASES: Readonly<Record<string, Case>> = {
  'alias-bomb.yaml': {
    problems: ['error 12 notes yaml-alias', 'warning 12 - columns-kept'],
    rows: [],
  },
  'alias-circle-setting.yaml': {
    problems: ['error 1 timezone yaml-alias'],
    rows: ['3 · long · T · public'],
  },
  'alias-circle.yaml': {
    problems: ['error 2 notes yaml-alias', 'warning 2 - columns-kept'],
    rows: [],
  },
  'alias-value.yaml': {
    problems: [],
    rows: ['3 · long · T · unlisted'],
  },
  'archive.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'blank-rows.csv': {
    problems: ['warning 4 - blank-rows'],
    rows: ['2 · short · A', '3 · short · B'],
  },
  'bom-quoted.csv': {
    problems: [],
    rows: ['2 · short · Garden tour'],
  },
  'bom.csv': {
    problems: [],
    rows: ['2 · short · Garden tour'],
  },
  'columns.yaml': {
    problems: [],
    rows: ['3 · short · A'],
  },
  'compressed.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'control-characters.csv': {
    problems: [
      'error 2 title bad-character',
      'error 3 title bad-character',
      'warning 4 title invisible-character',
      'error 7 title bad-character',
      'error 8 title bad-character',
    ],
    rows: ['4 · short · Launch\u200b 2026', '5 · short · שלום עולם', '6 · short · 👨\u200d👩\u200d👧\u200d👦 family'],
  },
  'cr.csv': {
    problems: ['error 3 title title-line-break', 'error 5 platform platform-unknown'],
    rows: ['2 · short · A'],
  },
  'curly-quotes.csv': {
    problems: ['error 2 - extra-cells'],
    rows: [],
  },
  'date-and-publish-at.csv': {
    problems: ['error 2 publish_date field-twice'],
    rows: [],
  },
  'date-and-time.csv': {
    options: { timezone: 'Europe/Berlin' },
    problems: [
      'error 4 publish_date bad-time',
      'error 5 publish_time bad-time',
      'error 8 publish_date bad-time',
      'error 9 publish_date time-not-real',
    ],
    rows: [
      '2 · short · T · 2026-07-01T16:00:00.000Z',
      '3 · short · T · 2026-07-01T16:00:00.000Z',
      '6 · short · T',
      '7 · short · T · 2026-07-01T07:00:00.000Z',
    ],
  },
  'date-format.csv': {
    options: { settings: { dateFormat: 'MM/DD/YYYY' }, timezone: 'Europe/Berlin' },
    problems: ['error 5 publish_at bad-time', 'error 6 publish_at bad-time'],
    rows: [
      '2 · short · T · 2026-12-01T08:00:00.000Z',
      '3 · short · T · 2026-12-01T20:00:00.000Z',
      '4 · short · T · 2026-12-01T09:00:00.000Z',
    ],
  },
  'decimal-commas.csv': {
    problems: ['warning 1 - columns-kept'],
    rows: ['2 · short · A'],
  },
  'deep.yaml': {
    problems: ['error 1 - yaml-shape'],
    rows: [],
  },
  'directive.yaml': {
    problems: ['error 1 - yaml-syntax'],
    rows: [],
  },
  'document.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'duplicate-keys.csv': {
    problems: [
      'error 2 privacy bad-privacy',
      'error 3 key duplicate-key',
      'error 5 source source-url',
      'error 5 key duplicate-key',
      'warning 6 privacy privacy-missing',
      'warning 7 privacy privacy-missing',
      'error 7 key duplicate-key',
      'error 9 source duplicate-source',
    ],
    rows: ['4 · short · C', '6 · short · E', '6 · long · E', '8 · short · G'],
  },
  'duplicate-keys.yaml': {
    problems: ['error 5 title yaml-duplicate-key', 'error 6 source yaml-duplicate-key'],
    rows: [],
  },
  'empty-videos.yaml': {
    problems: ['error 1 videos no-rows'],
    rows: [],
  },
  'empty.csv': {
    problems: ['error - - no-rows'],
    rows: [],
  },
  'empty.yaml': {
    problems: ['error - - no-rows'],
    rows: [],
  },
  'endings.csv': {
    problems: ['warning 2 source file-ending', 'warning 3 source file-not-video'],
    rows: ['2 · short · A', '3 · short · B'],
  },
  'extra-cells.csv': {
    problems: ['error 2 - extra-cells'],
    rows: [],
  },
  'fan-out-long.yaml': {
    problems: [],
    rows: ['5 · short · A', '5 · long · A · unlisted', '6 · long · B · unlisted'],
  },
  'fan-out-private.csv': {
    problems: [
      'warning 2 description description-not-offered',
      'error 2 privacy privacy-not-offered',
      'warning 3 description description-not-offered',
      'warning 3 privacy privacy-not-offered',
      'error 4 privacy privacy-not-offered',
    ],
    rows: ['2 · long · A · private', '3 · short · B', '3 · long · B · public'],
  },
  'fan-out.csv': {
    problems: [],
    rows: [
      '2 · short · Short! · 2026-07-02T10:00:00.000Z',
      '2 · long · Long title · unlisted · 2026-07-01T10:00:00.000Z',
      '3 · short · Only short',
    ],
  },
  'fan-out.yaml': {
    problems: [
      'warning 1 defaults.description description-not-offered',
      'error 1 defaults.privacy privacy-not-offered',
    ],
    rows: ['3 · long · A · unlisted'],
  },
  'garbled.csv': {
    problems: ['warning 2 title garbled-text', 'error 3 title bad-character'],
    rows: ['2 · short · CafÃ© â€œBest ofâ€'],
  },
  'header-only.csv': {
    problems: ['error - - no-rows'],
    rows: [],
  },
  'list-at-top.yaml': {
    problems: ['error 1 - yaml-shape'],
    rows: [],
  },
  'macintosh.csv': {
    problems: ['error 2 - encoding'],
    rows: [],
  },
  'merge-1.1.yaml': {
    problems: [],
    rows: ['5 · long · T · private'],
  },
  'merge-duplicate.yaml': {
    problems: ['error 1 privacy yaml-duplicate-key'],
    rows: [],
  },
  'merge-in-defaults.yaml': {
    problems: [],
    rows: ['5 · long · T · private'],
  },
  'merge-later.yaml': {
    problems: ['error 2 - yaml-alias'],
    rows: [],
  },
  'merge-list.yaml': {
    problems: [],
    rows: ['4 · long · T · private'],
  },
  'merge-mistyped.yaml': {
    problems: ['error 3 - yaml-alias'],
    rows: [],
  },
  'merge-own-wins.yaml': {
    problems: [],
    rows: ['3 · long · T · public'],
  },
  'merge-quoted.yaml': {
    problems: ['error 3 - yaml-alias'],
    rows: [],
  },
  'merge-synonym.yaml': {
    problems: ['error 1 visibility column-unknown'],
    rows: ['3 · long · T · private'],
  },
  'merge-tagged.yaml': {
    problems: ['error 3 - yaml-tag'],
    rows: [],
  },
  'merge-unknown.yaml': {
    problems: ['error 3 - yaml-alias'],
    rows: [],
  },
  'merge.yaml': {
    problems: [],
    rows: ['3 · long · T · private'],
  },
  'mistyped-beside-right.csv': {
    problems: ['error 1 tilte column-unknown'],
    rows: ['2 · short · A'],
  },
  'mistyped-headers.csv': {
    problems: [
      'error 1 tilte column-unknown',
      'error 1 sorce column-unknown',
      'error 1 platfrom column-unknown',
      'error 1 visibilty column-unknown',
      'error 2 visibilty bad-privacy',
    ],
    rows: [],
  },
  'mistyped-key-in-one.yaml': {
    problems: ['error 5 privcy column-unknown', 'warning 6 privacy privacy-missing', 'error 9 source source-missing'],
    rows: ['2 · long · A · private', '6 · long · B'],
  },
  'mixed-line-ends.csv': {
    problems: ['warning 3 privacy privacy-missing', 'error 5 platform platform-unknown'],
    rows: ['2 · short · A', '3 · long · B'],
  },
  'nameless-column.csv': {
    problems: ['error 3 - nameless-column'],
    rows: ['2 · short · A', '3 · short · B'],
  },
  'near-names.csv': {
    problems: [
      'error 2 source file-missing',
      'error 3 source file-missing',
      'error 4 source file-missing',
      'error 5 source file-not-regular',
      'error 6 source file-missing',
    ],
    rows: ['2 · short · A', '3 · short · B', '4 · short · C', '5 · short · D', '6 · short · E'],
  },
  'no-last-line-end.csv': {
    problems: [],
    rows: ['2 · short · A'],
  },
  'no-profile.csv': {
    problems: [],
    rows: ['2 · short · A', '3 · short · B'],
  },
  'no-videos.yaml': {
    problems: ['error - videos no-rows'],
    rows: [],
  },
  'not-a-video.yaml': {
    problems: ['error 2 - yaml-shape', 'error 3 - yaml-shape', 'error 4 - yaml-shape'],
    rows: [],
  },
  'not-offered.csv': {
    problems: [
      'warning 1 tags column-not-offered',
      'warning 1 thumbnail column-not-offered',
      'warning 1 playlist column-not-offered',
      'warning 1 - columns-kept',
    ],
    rows: ['2 · short · A'],
  },
  'numbers.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'old-workbook.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'only-blank-rows.csv': {
    problems: ['error - - no-rows', 'warning 2 - blank-rows'],
    rows: [],
  },
  'only-blanks.csv': {
    problems: ['error - - no-rows'],
    rows: [],
  },
  'opendocument.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'other-tools-headers.csv': {
    problems: [
      'error 1 caption column-unknown',
      'error 1 video_file column-unknown',
      'error 1 network column-unknown',
      'error 1 visibility column-unknown',
      'error 1 channel column-unknown',
      'error 1 scheduled_at column-unknown',
      'warning 1 - columns-kept',
    ],
    rows: ['2 · long · A · private'],
  },
  'padded-headers.csv': {
    problems: [],
    rows: ['2 · long · A · public'],
  },
  'patterns.csv': {
    problems: ['error 2 source file-missing', 'error 3 source file-missing'],
    rows: ['2 · short · A', '3 · short · B'],
  },
  'pipes.csv': {
    problems: ['warning 2 privacy privacy-missing'],
    rows: ['2 · short · A, B; C', '2 · long · A, B; C'],
  },
  'profile-missing.csv': {
    problems: [
      'error 3 profile profile-missing',
      'error 5 platform platform-unknown',
      'error 5 profile profile-missing',
    ],
    rows: ['2 · short · A', '4 · short · C'],
  },
  'replacement-character.csv': {
    problems: ['error 2 title bad-character'],
    rows: [],
  },
  'rich-text.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'same-header-folded.csv': {
    problems: ['error 1 title column-duplicate'],
    rows: ['2 · short · One'],
  },
  'same-header-twice.csv': {
    problems: ['error 1 title column-duplicate'],
    rows: ['2 · short · One'],
  },
  'second-document.yaml': {
    problems: ['error 6 - yaml-second-document'],
    rows: [],
  },
  'semicolons.csv': {
    problems: ['warning 2 privacy privacy-missing'],
    rows: ['2 · long · Demo'],
  },
  'sep-after-mark.csv': {
    problems: ['warning 3 privacy privacy-missing'],
    rows: ['3 · long · Demo'],
  },
  'sep-quoted.csv': {
    problems: ['warning 3 privacy privacy-missing'],
    rows: ['3 · long · Demo'],
  },
  'sep-then-errors.csv': {
    problems: ['error 3 platform platform-unknown'],
    rows: [],
  },
  'sep-unusable.csv': {
    problems: ['error 1 - delimiter'],
    rows: ['3 · short · A'],
  },
  'sep.csv': {
    problems: ['warning 3 privacy privacy-missing'],
    rows: ['3 · long · Demo'],
  },
  'settings-mistyped.yaml': {
    problems: [
      'error 1 time_zone unknown-setting',
      'error 2 late bad-setting',
      'error 3 version bad-setting',
      'error 4 columns columns-setting',
      'error 5 defaults.privcy unknown-setting',
    ],
    rows: ['7 · long · T · public'],
  },
  'sheet-errors.csv': {
    problems: ['error 2 title garbled-text', 'error 3 title garbled-text'],
    rows: ['4 · short · # N/A'],
  },
  'sheet.yaml': {
    problems: [],
    rows: [
      '2 · short · T · 2026-06-07T22:00:00.000Z',
      '3 · short · T · 2026-06-07T22:00:00.000Z',
      '4 · short · T · 2026-06-08T16:00:00.000Z',
      '5 · short · T · 2026-06-08T09:00:00.000Z',
      '6 · short · T · 2026-06-08T18:00:00.000Z',
      '7 · short · T',
    ],
  },
  'short-rows.csv': {
    problems: ['warning 1 - columns-kept', 'warning 2 - short-row'],
    rows: ['2 · short · A'],
  },
  'status-approved.csv': {
    problems: ['error 2 Status bad-status'],
    rows: ['3 · short · B'],
  },
  'stray-quotes.csv': {
    problems: ['warning 2 privacy privacy-missing', 'error 4 - stray-quote', 'error 5 - stray-quote'],
    rows: ['2 · long · First', '6 · short · 24" right'],
  },
  'tab-indent.yaml': {
    problems: ['error 2 - yaml-syntax'],
    rows: [],
  },
  'tabs.tsv': {
    problems: [],
    rows: ['2 · short · Part 1, basics'],
  },
  'text-stays-text.csv': {
    problems: [],
    rows: [
      '2 · short · =1+1',
      '3 · short · 007',
      '4 · short · 1/2',
      '5 · short · TRUE',
      '6 · short · 1e3',
      '7 · short · null',
      '8 · short · +49 30',
      '9 · short · -',
      "10 · short · 'quoted",
      '11 · short · #1 tip',
    ],
  },
  'times-bad.csv': {
    options: { timezone: 'Europe/Berlin' },
    problems: [
      'error 2 publish_at time-not-real',
      'error 3 publish_at time-twice',
      'error 5 publish_at bad-time',
      'error 6 publish_at time-past',
      'error 7 publish_at bad-time',
      'error 8 publish_at bad-time',
      'error 9 publish_at bad-time',
      'error 10 publish_at bad-time',
      'error 11 publish_at bad-time',
      'warning 12 publish_at time-far',
      'error 13 publish_at bad-time',
      'error 14 publish_at bad-time',
      'error 15 publish_at bad-time',
    ],
    rows: [
      '4 · short · T · 2026-10-25T01:30:00.000Z',
      '6 · short · T · 2026-05-01T08:00:00.000Z',
      '12 · short · T · 2062-06-08T08:00:00.000Z',
    ],
  },
  'times.csv': {
    options: { timezone: 'Europe/Berlin' },
    problems: [],
    rows: [
      '2 · short · T · 2026-06-07T22:00:00.000Z',
      '3 · short · T · 2026-06-07T22:00:00.000Z',
      '4 · short · T · 2026-06-08T16:00:00.000Z',
      '5 · short · T · 2026-06-08T09:00:00.000Z',
      '6 · short · T · 2026-06-08T18:00:00.000Z',
      '7 · short · T',
    ],
  },
  'titles.csv': {
    problems: [
      'error 2 title title-line-break',
      'warning 4 title title-missing',
      'error 6 title title-too-long',
      'warning 9 title title-length-unclear',
      'error 10 title title-too-long',
    ],
    rows: [
      '4 · short · ',
      '5 · short · padded',
      '7 · long · x*100 · public',
      '8 · short · x*101',
      '9 · long · 字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字 · public',
    ],
  },
  'two-items-in-one-line.json': {
    problems: ['error 1 title yaml-duplicate-key'],
    rows: [],
  },
  'two-sources.csv': {
    problems: ['error 3 video_url field-twice'],
    rows: ['2 · short · A'],
  },
  'unclosed-header.csv': {
    problems: ['error 1 - unclosed-quote'],
    rows: [],
  },
  'unclosed-quote-closed-later.csv': {
    problems: ['warning 2 privacy privacy-missing', 'error 4 - unclosed-quote'],
    rows: ['2 · long · First', '5 · short · A', '6 · short · B, too'],
  },
  'unclosed-quote.csv': {
    problems: ['warning 2 privacy privacy-missing', 'error 4 - unclosed-quote'],
    rows: [
      '2 · long · First',
      '5 · short · T1',
      '6 · short · T2',
      '7 · short · T3',
      '8 · short · T4',
      '9 · short · T5',
      '10 · short · T6',
      '11 · short · T7',
      '12 · short · T8',
      '13 · short · T9',
      '14 · short · T10',
      '15 · short · T11',
      '201 rows',
    ],
  },
  'urls.csv': {
    problems: [
      'error 2 source source-url',
      'error 3 source source-url',
      'error 4 source key-needed',
      'warning 6 source url-not-public',
      'error 7 source source-url',
    ],
    rows: ['5 · short · D', '6 · short · E'],
  },
  'utf16-half-pair.csv': {
    problems: ['error 2 - encoding'],
    rows: [],
  },
  'utf16-tabs.csv': {
    problems: [],
    rows: ['2 · short · Gärten, "der"'],
  },
  'utf16-without-mark.csv': {
    problems: ['error 1 - encoding'],
    rows: [],
  },
  'utf16.yaml': {
    problems: [],
    rows: ['2 · short · Gärten'],
  },
  'utf16be.csv': {
    problems: [],
    rows: ['2 · short · Gärten 🌱'],
  },
  'utf16le.csv': {
    problems: [],
    rows: ['2 · short · Gärten 🌱'],
  },
  'utf32.csv': {
    problems: ['error - - encoding'],
    rows: [],
  },
  'utf8-cut.csv': {
    problems: ['error 2 - encoding'],
    rows: [],
  },
  'web-page.csv': {
    problems: ['error - - spreadsheet-file'],
    rows: [],
  },
  'windows-1252.csv': {
    options: { encoding: 'windows-1252' },
    problems: [],
    rows: ['2 · short · ok', '3 · short · Café “Best of”'],
  },
  'workbook.csv': {
    problems: ['error - - workbook-unreadable'],
    rows: [],
  },
  'workbook.yaml': {
    problems: ['error - - workbook-unreadable'],
    rows: [],
  },
  'workflow-status.csv': {
    problems: ['warning 1 - columns-kept'],
    rows: ['2 · short · A'],
  },
  'yaml-alias-alone.yaml': {
    problems: ['error 5 title yaml-alias'],
    rows: [],
  },
  'yaml-anchor.yaml': {
    problems: ['error 5 title yaml-alias'],
    rows: [],
  },
  'yaml-at-sign.yaml': {
    problems: ['error 5 - yaml-syntax'],
    rows: [],
  },
  'yaml-bang.yaml': {
    problems: ['error 5 title yaml-tag'],
    rows: [],
  },
  'yaml-binary.yaml': {
    problems: ['error 5 - yaml-tag'],
    rows: [],
  },
  'yaml-block-two.yaml': {
    problems: ['error 5 title title-line-break'],
    rows: [],
  },
  'yaml-block.yaml': {
    problems: [],
    rows: ['2 · long · One line · public'],
  },
  'yaml-clock.yaml': {
    problems: [],
    rows: ['2 · long · 12:30 · public'],
  },
  'yaml-colon.yaml': {
    problems: ['error 5 - yaml-syntax'],
    rows: [],
  },
  'yaml-comma.yaml': {
    problems: [],
    rows: ['2 · long · a, b · public'],
  },
  'yaml-date.yaml': {
    problems: [],
    rows: ['2 · long · 2026-10-25 · public'],
  },
  'yaml-emoji.yaml': {
    problems: [],
    rows: ['2 · long · 🌱 Gärten · public'],
  },
  'yaml-empty-title.yaml': {
    problems: ['warning 2 title title-missing'],
    rows: ['2 · long ·  · public'],
  },
  'yaml-exponent.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-flow-list.yaml': {
    problems: ['error 5 title yaml-shape'],
    rows: [],
  },
  'yaml-folded.yaml': {
    problems: [],
    rows: ['2 · long · One two · public'],
  },
  'yaml-hash-all.yaml': {
    problems: ['error 5 title comment-cuts-value'],
    rows: [],
  },
  'yaml-hash-glued.yaml': {
    problems: [],
    rows: ['2 · long · Recap#42 · public'],
  },
  'yaml-hash-quoted.yaml': {
    problems: [],
    rows: ['2 · long · Recap #42 · public'],
  },
  'yaml-hash-remark.yaml': {
    problems: ['warning 2 title title-missing', 'warning 5 title comment-cuts-value'],
    rows: ['2 · long ·  · public'],
  },
  'yaml-hash.yaml': {
    problems: ['warning 5 title comment-cuts-value'],
    rows: ['2 · long · Weekly recap · public'],
  },
  'yaml-hex.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-infinite.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-key-number.yaml': {
    problems: ['error 6 key not-text'],
    rows: [],
  },
  'yaml-mapping.yaml': {
    problems: ['error 5 title yaml-shape'],
    rows: [],
  },
  'yaml-null.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-number.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-octal.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-own-tag.yaml': {
    problems: ['error 5 - yaml-tag'],
    rows: [],
  },
  'yaml-percent-first.yaml': {
    problems: ['error 5 - yaml-syntax'],
    rows: [],
  },
  'yaml-percent.yaml': {
    problems: [],
    rows: ['2 · long · 100% · public'],
  },
  'yaml-publish-date-only.yaml': {
    problems: ['error 6 publish_at bad-time'],
    rows: [],
  },
  'yaml-quoted-no.yaml': {
    problems: [],
    rows: ['2 · long · no · public'],
  },
  'yaml-said-text.yaml': {
    problems: [],
    rows: ['2 · long · no · public'],
  },
  'yaml-skip-no.yaml': {
    problems: [],
    rows: ['2 · long · T · public'],
  },
  'yaml-skip-text.yaml': {
    problems: ['error 6 skip bad-skip'],
    rows: [],
  },
  'yaml-star.yaml': {
    problems: ['error 5 - yaml-syntax'],
    rows: [],
  },
  'yaml-tags-hash.yaml': {
    problems: ['warning 6 tags column-not-offered', 'error 6 tags comment-cuts-value'],
    rows: [],
  },
  'yaml-tilde.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-timestamp.yaml': {
    problems: ['error 5 - yaml-tag'],
    rows: [],
  },
  'yaml-underscored.yaml': {
    problems: [],
    rows: ['2 · long · 1_000 · public'],
  },
  'yaml-version-number.yaml': {
    problems: [],
    rows: ['2 · long · 1.2.3 · public'],
  },
  'yaml-word-no.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-word-on.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'yaml-word-true.yaml': {
    problems: ['error 5 title not-text'],
    rows: [],
  },
  'comma-pushes-blanks.csv': {
    problems: ['warning 1 - columns-kept', 'error 3 - extra-cells', 'error 4 - extra-cells'],
    rows: ['2 · short · A'],
  },
  'delimiter-at-every-end.csv': {
    problems: [],
    rows: ['2 · short · A', '3 · short · B'],
  },
  'delimiter-at-one-end.csv': {
    problems: ['error 2 - extra-cells'],
    rows: ['2 · short · A', '3 · short · B'],
  },
};
