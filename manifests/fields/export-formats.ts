import { foldName } from './fields';

/** A file in another tool's format, and how its columns are read here. */
interface ExportFormat {
  tool: string;
  /** Headers that together occur only in this tool’s files. */
  marks: readonly string[];
  /** Header → field or fields, for the headers that a file has. */
  columns: Readonly<Record<string, string>>;
  /** What a person has to know before it is read like that. */
  note: string;
}

/** A caption is a short video’s title and a long one’s description. */
const CAPTION = 'title.short+description.long';

/**
 * Headers as the tools’ own pages and templates have them: Publer (“What CSV template should I use?”), Buffer (bulk upload),
 * Metricool (CSV template of the planner), Zernio (POST /v1/posts/bulk-upload), YouTube’s Content Manager (“Deliver content using
 * spreadsheet templates”, web videos).
 */
const EXPORT_FORMATS: readonly ExportFormat[] = [
  {
    tool: 'Publer',
    marks: ['Date - Intl. format or prompt', 'Text', 'Media URL(s) - Separated by comma'],
    columns: {
      'Date - Intl. format or prompt': 'publish_at',
      Text: CAPTION,
      'Media URL(s) - Separated by comma': 'source',
      'Title - For the video, pin, PDF ..': 'title.long',
    },
    note: 'Rows without a date are sent at once.',
  },
  {
    tool: 'Buffer',
    marks: ['Text', 'Image URL', 'Tags', 'Posting Time'],
    columns: { Text: 'title', 'Image URL': 'ignore', Tags: 'ignore', 'Posting Time': 'publish_at' },
    note: 'Buffer’s bulk file has images and no videos: add a source column.',
  },
  {
    tool: 'Metricool',
    marks: ['Text', 'Date', 'Time', 'Draft', 'Picture Url 1'],
    columns: {
      Text: CAPTION,
      Date: 'publish_date',
      Time: 'publish_time',
      Draft: 'skip',
      'Picture Url 1': 'source',
      'Youtube Video Title': 'title.long',
      'Youtube Video Privacy': 'privacy',
    },
    note: 'Drafts are left out. The columns of the networks (TRUE, FALSE) aren’t read.',
  },
  {
    tool: 'Zernio',
    marks: ['platforms', 'profiles', 'post_content', 'schedule_time'],
    columns: {
      platforms: 'platform',
      profiles: 'profile',
      post_content: CAPTION,
      title: 'title.long',
      media_urls: 'source',
      schedule_time: 'publish_at',
      is_draft: 'skip',
    },
    note: 'Drafts are left out. tz isn’t read. Rows without a schedule_time, also those with use_queue, are sent at once.',
  },
  {
    tool: 'YouTube’s Content Manager',
    marks: ['filename', 'channel', 'custom_id', 'add_asset_labels'],
    columns: { filename: 'source', channel: 'profile', custom_id: 'key', start_time: 'publish_at' },
    note: 'Rows without a start_time are sent at once.',
  },
];

/** A bulk file of Hootsuite has no header: date, message, link. Its columns are named by their numbers. */
const HOOTSUITE: Omit<ExportFormat, 'marks'> = {
  tool: 'Hootsuite',
  columns: { '1': 'publish_at', '2': CAPTION, '3': 'source' },
  note: 'It has no header: date, message and link are columns 1, 2 and 3, and the link has to be the video.',
};

/** A date with a time of day, as Hootsuite takes it: `01/12/2026 18:00`, `2026-12-01 18:00`. */
const DATE_AND_TIME = /^\d{1,4}([/.-])\d{1,2}\1\d{1,4}\s+\d{1,2}:\d{2}(:\d{2})?(\s*[ap]m)?$/iu;

export interface FoundExport {
  tool: string;
  /** The header as the file has it. */
  columns: readonly (readonly [header: string, field: string])[];
  note: string;
  /** Fields that no column gives and every row may need, and `timezone` for times. */
  lacks: readonly string[];
}

/** Whose file this is, by its first record; null for any other sheet, and where one of the columns in question is mapped already. */
export function findExport(first: readonly string[], mapping: ReadonlyMap<string, string>): FoundExport | null {
  const names = new Map(first.map((cell) => [foldName(cell), cell.trim()]));
  const found =
    EXPORT_FORMATS.find(({ marks }) => marks.every((mark) => names.has(foldName(mark)))) ??
    (isHootsuite(first) ? HOOTSUITE : undefined);
  if (found === undefined) return null;
  const columns = Object.entries(found.columns).flatMap(([header, field]) => {
    const written = found === HOOTSUITE ? first[Number(header) - 1] && header : names.get(foldName(header));
    return written === undefined || written === '' ? [] : [[written, field] as const];
  });
  if (columns.some(([header]) => mapping.has(foldName(header)))) return null;
  const given = new Set([...columns.map(([, field]) => field), ...mapping.values(), ...names.keys()]);
  const lacks = ['platform', 'profile'].filter((field) => !given.has(field));
  if (given.has('publish_at') || given.has('publish_date')) lacks.push('timezone');
  return { tool: found.tool, columns, note: found.note, lacks };
}

/** How the rows get what another tool’s file doesn’t say, as flags or in a YAML; empty if nothing lacks. */
export function lackingText(lacks: readonly string[], form: 'csv' | 'yaml'): string {
  const examples = { platform: 'short', profile: 'NAME' };
  const fields = Object.entries(examples).filter(([field]) => lacks.includes(field));
  const defaults =
    form === 'csv'
      ? fields.map(([field, value]) => `--default ${field}=${value}`).join(' ')
      : `defaults: {${fields.map(([field, value]) => `${field}: ${value}`).join(', ')}}`;
  const names = fields.map(([field]) => field).join(' and ');
  const zone = form === 'csv' ? '--timezone Europe/Berlin' : 'timezone: Europe/Berlin';
  return [
    ...(fields.length === 0
      ? []
      : [`It has no ${names}: add ${fields.length === 1 ? 'the column' : 'columns'}, or for example ${defaults}.`]),
    ...(lacks.includes('timezone') ? [`If its times have no offset, add their zone, such as ${zone}.`] : []),
  ].join(' ');
}

function isHootsuite(first: readonly string[]): boolean {
  const [date = '', message = '', link = '', ...more] = first.map((cell) => cell.trim());
  if (!DATE_AND_TIME.test(date) || message === '' || more.some((cell) => cell !== '')) return false;
  return link === '' || /^https?:\/\//iu.test(link);
}
