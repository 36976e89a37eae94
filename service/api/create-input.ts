import { type CreateStatus } from '../limits';
import { type FileSource } from '../upload/video-file';

/** A public address that the service downloads itself (interface, section 4.5, form B). */
export interface UrlSource {
  kind: 'url';
  url: string;
}

/** No video: drafts only. */
export interface NoSource {
  kind: 'none';
}

/** A publication to create (section 4.5). Fields that are not given are not sent, so that the service's defaults apply. */
export interface CreatePublicationInput {
  /** The wire value. */
  platform: string;
  source: FileSource | UrlSource | NoSource;
  title?: string;
  description?: string;
  privacy?: string;
  profileId?: string;
  status?: CreateStatus;
}

/** A video to publish directly (section 4.3). Without a title the service takes the file's name. */
export interface DirectPublishInput {
  platform: string;
  source: FileSource;
  title?: string;
}

/** The text fields by their names on the wire, in the order they are sent in. */
export function createFields(input: CreatePublicationInput): Record<string, string | undefined> {
  if (input.source.kind === 'none' && input.status !== 'draft') {
    throw new RangeError('Only a draft can be created without a video.');
  }
  return {
    platform: input.platform,
    title: input.title,
    description: input.description,
    privacy: input.privacy,
    profile_id: input.profileId,
    status: input.status,
  };
}
