import { type ResultRecord } from '../../ledger/model/result-types';
import { GIVEN_UP, isDiffering, isUnchangedDraft, type RowState } from '../../ledger/model/states';
import { type HtmlReportInput } from './report-input';

/** What a client reads for each state. Clients see fewer states: what only an operator tells apart is one. */
const CLIENT_STATES: Readonly<Record<RowState, string>> = {
  planned: 'planned',
  waiting: 'planned',
  creating: 'in progress',
  processing: 'in progress',
  published: 'live',
  failed: 'failed',
  rejected: 'not accepted',
  unconfirmed: 'not confirmed',
  overdue: 'delayed',
  drafted: 'draft',
  submitted: 'sent',
  cancelled: 'not sent',
};

/** Why a row of this state is not live yet, in a sentence; null where the state says it all. */
const STATE_REASONS: Readonly<Partial<Record<RowState, string>>> = {
  failed: 'The video service could not publish it.',
  rejected: 'The video service did not accept it.',
  unconfirmed: 'It may be live; this is not confirmed yet.',
  overdue: 'It is taking longer than expected.',
  submitted: 'It was handed over to the platform, which does not report whether it is live.',
};

/** More exact than the state; of other codes only their state is shown. */
const CODE_REASONS: Readonly<Record<string, string>> = {
  'http-413': 'The video service did not accept it: the file is too large.',
  'http-415': 'The video service did not accept it: the format of the file is not supported.',
  file: 'The video file could not be read.',
  'file-changed': 'The video file changed while it was being sent.',
  'made-private': 'It was live, and is private now.',
  gone: 'It was live, and can no longer be found.',
  'failed-later': 'It was live; the video service now reports it as failed.',
  'second-publication': 'It may have been published twice.',
  'adoption-disputed': 'It may not be live; this is not confirmed yet.',
};

/** Words of a service that are nothing but words: no code, name of a host, path, id or number. */
const PLAIN_WORDS = /^[\p{L}][\p{L} ,’'-]{0,198}\.?$/u;

export function clientState(state: RowState): string {
  return CLIENT_STATES[state];
}

/** A report for someone outside: only what a client may read is left in its input, so that nothing else can be shown. */
export function clientInput(input: HtmlReportInput): HtmlReportInput {
  const { sandbox, campaign, startedAt, finishedAt, madeAt, zone, leftOutTotal = 0 } = input;
  const [were, their] = leftOutTotal === 1 ? ['video was', 'its entry has'] : ['videos were', 'their entries have'];
  return {
    ...{ forClient: true, sandbox, campaign, run: campaign, startedAt, finishedAt, madeAt, zone },
    // Counted over the rows, because a client's states are others.
    ...{ total: 0, counts: {}, webUi: null, next: [] },
    ...(leftOutTotal === 0
      ? {}
      : { leftOut: [`${String(leftOutTotal)} more ${were} not sent, because ${their} mistakes`] }),
    rows: () => clientRows(input.rows()),
  };
}

async function* clientRows(rows: AsyncIterable<ResultRecord>): AsyncGenerator<ResultRecord> {
  for await (const row of rows) yield clientRow(row);
}

function clientRow(row: ResultRecord): ResultRecord {
  const state = stateOf(row);
  const message = reasonOf(row, state);
  // The channel is named after the profile, and without a name after its id.
  const channel = row.profile === null ? (row.channel.split(' · ').at(-1) ?? '') : row.channel;
  return {
    ...EMPTY,
    ...{ state, message, channel, title: row.title ?? 'Untitled video' },
    // Rows are grouped by their code: here by what a client reads. The other codes decide what counts as a success.
    code: isDiffering({ ...row, state }) || isUnchangedDraft(row) ? row.code : message,
    publish_at: row.publish_at,
    published_at: row.published_at,
    ended_at: row.published_at === null ? row.ended_at : null,
    video_url: state === 'published' ? row.video_url : null,
  };
}

function stateOf({ state, code }: ResultRecord): RowState {
  if (state === 'cancelled' && code === GIVEN_UP) return 'unconfirmed';
  if (state === 'published' && (code === 'gone' || code === 'failed-later')) return 'failed';
  if (state === 'published' && code === 'adoption-disputed') return 'unconfirmed';
  if (state === 'waiting') return 'planned';
  return state === 'creating' ? 'processing' : state;
}

function reasonOf(row: ResultRecord, state: RowState): string | null {
  const { code, message } = row;
  if (code === 'service-failed' && message !== null && PLAIN_WORDS.test(message) && !message.startsWith('the service'))
    return `The video service could not publish it: ${message}`;
  if (code !== null && Object.hasOwn(CODE_REASONS, code)) return CODE_REASONS[code] ?? null;
  if (isDiffering(row)) return 'It is live, but not exactly as requested.';
  if (isUnchangedDraft(row)) return 'The draft could not be changed as requested.';
  return STATE_REASONS[state] ?? null;
}

const EMPTY = {
  ...{ line: 0, key: '', campaign: '', run: null, account: '', platform: '', profile: null, profile_id: null },
  ...{ file: null, source: null, folder: null, publication_id: null, publish_id: null, video_id: null, privacy: null },
  ...{ created_at: null, column: null, attempts: 0, version: null, candidates: [], cells: {} },
} as const;
