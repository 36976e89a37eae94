import { type PublicationRecord, type PublicationSource } from './records';

/** One line of `creates.log`: a request that was accepted, written before its answer. */
export interface LogEntry extends Omit<PublicationRecord, 'source' | 'createdAt'> {
  /** ISO 8601, UTC, milliseconds. */
  at: string;
  source: PublicationSource['kind'];
  bytes: number;
  declaredBytes?: number;
  sha256?: string;
  fileName?: string;
  /** Without its query, which may be a signature. */
  url?: string;
}

/** One line of `changes.log`: changes to publications after they were accepted, and the injected ones. */
export type ChangeEntry =
  | { op: 'set'; id: string; set: Partial<PublicationRecord> }
  | { op: 'delete'; id: string }
  | { op: 'foreign'; entry: LogEntry };

export function toLogEntry(record: PublicationRecord): LogEntry {
  const { source, createdAt, n, id, platform, profileId, title, ...rest } = record;
  const { kind, url, ...details } = source;
  const shown = url === undefined ? {} : { url: url.replace(/[?#].*$/s, '') };
  return {
    at: new Date(createdAt).toISOString(),
    n,
    id,
    platform,
    profileId,
    title,
    source: kind,
    ...details,
    ...shown,
    ...rest,
  };
}

export function fromLogEntry(entry: LogEntry): PublicationRecord {
  const { at, source, bytes, declaredBytes, sha256, fileName, url, ...rest } = entry;
  return {
    ...rest,
    createdAt: Date.parse(at),
    source: {
      kind: source,
      bytes,
      ...(declaredBytes === undefined ? {} : { declaredBytes }),
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(fileName === undefined ? {} : { fileName }),
      ...(url === undefined ? {} : { url }),
    },
  };
}
