import { type ResultRecord } from '../../ledger/model/result-types';

/** A record with everything that a test doesn't name. */
export function record(fields: Partial<ResultRecord> = {}): ResultRecord {
  return {
    line: 2,
    file: null,
    key: 'ep-1',
    campaign: 'spring',
    state: 'published',
    run: 'spring.1',
    account: 'default',
    platform: 'platform_b',
    channel: `${fields.profile ?? fields.profile_id ?? 'Garden'} · long`,
    profile: 'Garden',
    profile_id: 'p-1',
    title: 'Episode 1',
    source: 'https://example.com/a.mp4',
    folder: null,
    publish_at: null,
    publication_id: 'pub-1',
    publish_id: null,
    video_id: 'v1',
    video_url: 'https://video.example/v1',
    privacy: 'private',
    published_at: '2026-11-01T10:00:00.000Z',
    created_at: '2026-11-01T09:59:00.000Z',
    ended_at: '2026-11-01T10:00:01.000Z',
    code: null,
    column: null,
    message: null,
    attempts: 1,
    version: 'v1.0',
    candidates: [],
    cells: {},
    ...fields,
  };
}

export async function* stream(records: readonly ResultRecord[]): AsyncGenerator<ResultRecord> {
  for (const one of records) yield one;
}

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
