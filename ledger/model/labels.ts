import { createHash } from 'node:crypto';
import { baseName } from './source';
import { type Entry, type RowValues } from './types';

const LABEL_MAX = 120;
export const MESSAGE_MAX = 500;

/** Control characters, line and paragraph separators, and characters that reorder or hide text. */

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u200b\ufeff]/g;

/** `row 12 · Episode 3 → long`, at most 120 characters, without control characters or a URL's query. */
export function rowLabel(entry: Pick<Entry, 'line' | 'key' | 'values'>): string {
  const { title, source, platformKind } = entry.values;
  const name = printable(title ?? '') || printable(source === null ? '' : baseName(source)) || 'video';
  const head = `row ${entry.line} · `;
  const tail = ` → ${platformKind}`;
  return head + shorten(name, LABEL_MAX - head.length - tail.length) + tail;
}

/** `Garden · long`: a channel's name for people. */
export function channelLabel(values: Pick<RowValues, 'profileId' | 'profileName' | 'platformKind'>): string {
  const profile = printable(values.profileName ?? '') || printable(values.profileId ?? '') || 'default channel';
  return `${shorten(profile, LABEL_MAX - 8)} · ${values.platformKind}`;
}

/**
 * A channel's id as text: `[A-Za-z0-9._-]`, at most 120 characters, with a short hash of account, profile id and
 * platform that distinguishes channels. The readable part comes from the names at the time the ledger first saw the
 * channel; the ledger keeps that text, so a renamed profile keeps its id.
 */
export function channelTextId(channel: {
  account: string;
  profileId: string | null;
  profileName: string | null;
  platform: string;
}): string {
  const identity = JSON.stringify([channel.account, channel.profileId ?? '', channel.platform]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  const account = channel.account === 'default' ? '' : slug(channel.account);
  const profile = slug(channel.profileName ?? '') || slug(channel.profileId ?? '') || 'default';
  return [account, profile, slug(channel.platform), hash].filter(Boolean).join('.');
}

/** A message as the ledger stores it: one line of text, at most 500 characters. */
export function shortMessage(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  return shorten(printable(text), MESSAGE_MAX);
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 34);
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}

/** Cuts between characters, never inside a surrogate pair. Lengths are UTF-16 units. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
