import { z } from 'zod';
import { idSchema, textOrNull } from './publication';

/** A connected account of a profile (interface, section 2.2). */
export interface ProfileChannel {
  platform: string | null;
  accountName: string | null;
  accountId: string | null;
  connectedAt: string | null;
  extra: Record<string, unknown>;
}

/** A channel card (interface, section 2.1). */
export interface Profile {
  id: string;
  name: string | null;
  createdAt: string | null;
  channels: ProfileChannel[];
  extra: Record<string, unknown>;
}

const channelSchema = z
  .looseObject({
    platform: textOrNull,
    account_name: textOrNull,
    account_id: idSchema.nullable().catch(null).default(null),
    connected_at: textOrNull,
  })
  .transform(({ platform, account_name, account_id, connected_at, ...extra }): ProfileChannel => ({
    platform,
    accountName: account_name,
    accountId: account_id,
    connectedAt: connected_at,
    extra,
  }));

const profileSchema = z
  .looseObject({
    id: idSchema,
    name: textOrNull,
    created_at: textOrNull,
    channels: z.array(z.unknown()).catch([]).default([]),
  })
  .transform(({ id, name, created_at, channels, ...extra }): Profile => ({
    id,
    name,
    createdAt: created_at,
    channels: channels.map((one) => channelSchema.safeParse(one)).flatMap((one) => (one.success ? [one.data] : [])),
    extra,
  }));

const envelopeSchema = z.looseObject({ profile: z.looseObject({}) });

/** Reads one profile; undefined without a usable id. */
export function readProfile(value: unknown): Profile | undefined {
  const parsed = profileSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Reads `{profile: {…}}` or the profile itself: the envelope is not shown (section 4.2). */
export function readProfileAnswer(value: unknown): Profile | undefined {
  const envelope = envelopeSchema.safeParse(value);
  return readProfile(envelope.success ? envelope.data.profile : value);
}
