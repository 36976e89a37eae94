import { type OpenChoices } from '../faults/open-choices';
import { type SandboxPlatforms, type SandboxProfile } from '../profiles';
import { type PublicationRecord, type Status, statusAt } from '../store/records';

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
    platform: record.platform,
    status,
    video_id: published ? videoId(record) : null,
    video_url: published ? `https://${record.platform}.example/watch/${videoId(record)}` : null,
  };
  if (kind === 'single') {
    if (record.privacy !== null) view['privacy'] = record.privacy;
    else if (record.platform === platforms.short && open.privacyOnShort) view['privacy'] = 'public';
  }
  if (published && kind !== 'create') view['published_at'] = new Date(record.dueAt ?? now).toISOString();
  addOpenFields(view, record, status, open);
  if (shownStatus !== undefined) {
    view['status'] = shownStatus.value;
    if (shownStatus.missing) delete view['status'];
  }
  return view;
}

export function profileView(profile: SandboxProfile, open: OpenChoices): Record<string, unknown> {
  return open.furtherFields ? { ...profile, plan: 'basic', labels: { color: 'green' } } : { ...profile };
}

function addOpenFields(
  view: Record<string, unknown>,
  record: PublicationRecord,
  status: Status,
  open: OpenChoices,
): void {
  if (open.echoTitle) view['title'] = record.title;
  if (open.echoDescription) view['description'] = record.description;
  if (open.echoProfile) view['profile_id'] = record.profileId;
  if (open.echoCreatedAt) view['created_at'] = new Date(record.createdAt).toISOString();
  if (open.failureField !== '' && status === 'failed') view[open.failureField] = record.reason ?? 'upload failed';
  if (open.furtherFields) Object.assign(view, { revision: 7, metrics: { views: null }, labels: [] });
}

function videoId(record: PublicationRecord): string {
  return `v${record.id.replaceAll('-', '').slice(0, 11)}`;
}
