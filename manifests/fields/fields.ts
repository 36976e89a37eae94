/** What is known of a row field. */
export interface FieldInfo {
  readonly description: string;
  /** True where `FIELD.short` and `FIELD.long` exist too. */
  readonly perPlatform: boolean;
}

/** The fields of a row, in the order people read them. */
export const FIELDS = {
  key: {
    perPlatform: false,
    description: 'The row’s permanent id, 1 to 200 characters, unique per campaign and channel. Default: the source.',
  },
  source: {
    perPlatform: false,
    description: 'The video: a path relative to the manifest’s folder, or a public http(s) URL.',
  },
  platform: {
    perPlatform: false,
    description: 'A configured platform or its kind, short or long. Several as a list, or separated by | in a CSV.',
  },
  profile: {
    perPlatform: true,
    description:
      'Id or name of the profile. Leave it out of every row for the account’s default channel; if some rows name a profile, every row must (default names the default channel).',
  },
  title: {
    perPlatform: true,
    description: 'At most 100 characters on long platforms and 150 on short ones, in one line.',
  },
  description: { perPlatform: true, description: 'Long platforms only; at most 5,000 characters.' },
  privacy: {
    perPlatform: true,
    description: 'public, private or unlisted; long platforms only. If it is missing, the service uses private.',
  },
  status: {
    perPlatform: false,
    description:
      'published (default), draft (saved at the service and not published) or pending (for a row that has a draft).',
  },
  publish_at: {
    perPlatform: true,
    description: 'When the row is sent: a time with an offset, or a local time in the timezone. Default: at once.',
  },
  deadline: {
    perPlatform: true,
    description:
      'The row is not sent after this time, written like publish_at; if it is missed, the row waits for you.',
  },
  publish_date: {
    perPlatform: false,
    description: 'The date of publish_at, for sheets that have date and time in two columns.',
  },
  publish_time: {
    perPlatform: false,
    description: 'The time of day on publish_date: 18:00, or 6:00 PM.',
  },
  via: {
    perPlatform: false,
    description:
      'publication (default), or direct: a file of at most 500 MB uploaded to a profile; its outcome can’t be read.',
  },
  account: { perPlatform: false, description: 'Name of a configured account; needed only if there are several.' },
  skip: { perPlatform: false, description: 'yes: the row stays in the manifest and is not sent.' },
} as const satisfies Record<string, FieldInfo>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** Other names under which a field may be written. */
export const FIELD_ALIASES: Readonly<Record<string, FieldName>> = {
  file: 'source',
  video: 'source',
  video_url: 'source',
  url: 'source',
};

/** Names that other tools use. Never accepted silently: the problem names the right one. */
export const SYNONYMS: Readonly<Record<string, FieldName>> = {
  ...all(
    'source',
    'path',
    'filename',
    'file_name',
    'file_path',
    'filepath',
    'video_file',
    'video_path',
    'media',
    'media_url',
    'link',
    'uri',
    'src',
    // German, as a sheet of a German program names it: “datei” is one letter from “date”.
    'datei',
    'dateiname',
    'dateipfad',
  ),
  ...all('privacy', 'visibility', 'privacy_status', 'privacystatus', 'privacy_level'),
  ...all('title', 'caption', 'headline', 'video_title'),
  ...all('description', 'desc', 'video_description', 'body'),
  ...all('profile', 'channel', 'profile_id', 'profile_name', 'channel_id', 'channel_name', 'account_name'),
  ...all('platform', 'platforms', 'network', 'destination', 'site'),
  ...all(
    'publish_at',
    'schedule',
    'scheduled',
    'scheduled_at',
    'schedule_at',
    'scheduled_time',
    'schedule_time',
    'publishat',
    'publish_on',
    'post_at',
    'go_live',
    'start_time',
    'embargo',
    'planned_for',
    'datetime',
    'when',
  ),
  // Spanish and Portuguese: “dia” is one letter from “via”.
  ...all('publish_date', 'date', 'release_date', 'schedule_date', 'post_date', 'dia', 'día'),
  ...all('publish_time', 'time', 'time_of_day', 'post_time'),
  ...all('deadline', 'not_after', 'publish_before'),
  ...all('key', 'row_key', 'row_id', 'external_id', 'reference', 'idempotency_key'),
  ...all('status', 'draft', 'is_draft'),
  ...all('skip', 'ignore', 'exclude', 'disabled'),
};

/**
 * Names of fields in German, French, Spanish, Portuguese and Italian, without accents, where they aren't close to the
 * English ones. Only these very words: others that are close to them mean something else. Names of times are left to the
 * dates in such a column.
 */
export const TRANSLATIONS: Readonly<Record<string, FieldName>> = {
  ...all(
    'source',
    'quelle',
    'videodatei',
    'fichier',
    'fichier_video',
    'archivo',
    'fuente',
    'arquivo',
    'ficheiro',
    'fonte',
  ),
  ...all('title', 'titel', 'videotitel', 'titre', 'titre_de_la_video', 'titulo', 'titulo_del_video', 'titulo_do_video'),
  ...all('title', 'titolo', 'titolo_del_video'),
  ...all('description', 'beschreibung', 'beschreibungstext', 'videobeschreibung', 'description_de_la_video'),
  ...all('description', 'descripcion', 'descripcion_del_video', 'descricao', 'descricao_do_video', 'descrizione'),
  ...all('privacy', 'sichtbarkeit', 'privatsphare', 'visibilite', 'confidentialite', 'visibilidad'),
  ...all('privacy', 'privacidad', 'visibilidade', 'privacidade', 'visibilita', 'riservatezza'),
  ...all('platform', 'plattform', 'netzwerk', 'plateforme', 'reseau', 'plataforma', 'red_social', 'rede_social'),
  ...all('platform', 'piattaforma'),
  ...all('profile', 'profil', 'kanal', 'chaine', 'perfil', 'canal', 'profilo', 'canale'),
  ...all('account', 'konto', 'compte', 'cuenta', 'conta'),
  ...all('status', 'entwurf', 'brouillon', 'borrador', 'rascunho', 'bozza'),
  ...all(
    'skip',
    'uberspringen',
    'auslassen',
    'ignorieren',
    'ignorer',
    'exclure',
    'omitir',
    'ignorar',
    'excluir',
    'escludi',
  ),
  ...all('deadline', 'frist', 'date_limite', 'fecha_limite', 'data_limite', 'prazo', 'scadenza'),
  ...all('key', 'schlussel', 'cle', 'clave', 'chave', 'chiave'),
};

/** Things people expect of a publishing service for which this one has no field (interface, 4.3 and 4.5). */
export const NOT_OFFERED: ReadonlySet<string> = new Set([
  'tags', 'tag', 'hashtags', 'keywords', 'category', 'category_id', 'thumbnail', 'thumbnail_url', 'thumb', 'cover', 'cover_url',
  'playlist', 'playlist_id', 'playlists', 'language', 'location', 'license', 'subtitles', 'captions', 'subtitle_file', 'comments', 'allow_comments',
  'duet', 'stitch', 'made_for_kids', 'audience', 'age_restricted', 'embeddable', 'notify', 'notify_subscribers', 'premiere', 'first_comment', 'sound', 'music',
]); // prettier-ignore

function all(field: FieldName, ...names: string[]): Record<string, FieldName> {
  return Object.fromEntries(names.map((name) => [name, field]));
}

/** Text that looks the same compares the same: no invisible characters, trimmed, lower case, blanks and `-` as `_`. */
export function foldName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}
