import { type OpenChoices } from '../faults/open-choices';
import { type SandboxPlatforms, type SandboxProfile } from '../profiles';
import { type PublicationRecord, type Status, statusAt } from '../store/records';
import {
  shownCreatedAt,
  shownDescription,
  shownPlatform,
  shownPrivacy,
  shownProfile,
  shownTitle,
} from './shown-values';

/** What shapes the objects on the wire. */
export interface ViewContext {
  open: OpenChoices;
  platforms: SandboxPlatforms;
  now: number;
  /** Another value for `status`, by a fault; undefined shows the true one. */
  shownStatus?: { value: string | null; missing: boolean } | undefined;
}

/** The publication object of section 2.3: `create` has its five fields, `list` also `published_at`, `single` all. */
export function publicationView(
  record: PublicationRecord,
  kind: 'create' | 'list' | 'single',
  { open, platforms, now, shownStatus }: ViewContext,
): Record<string, unknown> {
  const status = statusAt(record, now);
  const published = status === 'published';
  const view: Record<string, unknown> = {
    id: record.id,
    platform: shownPlatform(record.platform, platforms, open),
    status: kind === 'create' ? status : shownStatusAt(record, now, open),
    video_id: published ? videoId(record) : null,
    video_url: published ? `https://${record.platform}.example/watch/${videoId(record)}` : null,
  };
  if (kind === 'single' || (kind === 'list' && open.echoPrivacy)) {
    const short = record.platform === platforms.short && open.privacyOnShort ? 'public' : null;
    const privacy = record.privacy ?? short;
    if (privacy !== null) view['privacy'] = shownPrivacy(privacy, status, open);
  }
  if (published && kind !== 'create') view['published_at'] = new Date(record.dueAt ?? now).toISOString();
  addOpenFields(view, record, { status, listed: kind === 'list' }, open);
  if (shownStatus !== undefined) {
    view['status'] = shownStatus.value;
    if (shownStatus.missing) delete view['status'];
  }
  return view;
}

/** The status that list and single view show: another one than `processing` while it ingests, if configured. */
export function shownStatusAt(record: PublicationRecord, now: number, { ingestStatus }: OpenChoices): Status {
  const status = statusAt(record, now);
  return status === 'processing' ? ingestStatus : status;
}

export function profileView(profile: SandboxProfile, open: OpenChoices): Record<string, unknown> {
  return open.furtherFields ? { ...profile, plan: 'basic', labels: { color: 'green' } } : { ...profile };
}

function addOpenFields(
  view: Record<string, unknown>,
  record: PublicationRecord,
  { status, listed }: { status: Status; listed: boolean },
  open: OpenChoices,
): void {
  if (open.echoTitle) view['title'] = shownTitle(record.title, open);
  if (open.echoDescription) view['description'] = shownDescription(record.description, listed, open);
  if (open.echoProfile) view['profile_id'] = shownProfile(record.profileId, open);
  if (open.echoCreatedAt) view['created_at'] = shownCreatedAt(record, open);
  if (open.failureField !== '' && status === 'failed') view[open.failureField] = record.reason ?? 'upload failed';
  if (open.furtherFields) Object.assign(view, { revision: 7, metrics: { views: null }, labels: [] });
}

function videoId(record: PublicationRecord): string {
  return `v${record.id.replaceAll('-', '').slice(0, 11)}`;
}
