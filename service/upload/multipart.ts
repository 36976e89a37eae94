import { randomBytes } from 'node:crypto';
import { basename, extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/x-m4v',
  '.mov': 'video/quicktime',
  '.avi': 'video/x-msvideo',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
};

/** A form with one file: the bytes before and after the file's own. */
export interface MultipartForm {
  contentType: string;
  head: Buffer;
  tail: Buffer;
}

/**
 * Builds a form with its text fields first, so that a service that reads it as a stream knows them before the video
 * (interface, sections 4.3 and 4.5).
 */
export function buildForm(fields: Readonly<Record<string, string | undefined>>, path: string): MultipartForm {
  const boundary = `----reelay-${randomBytes(18).toString('hex')}`;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`],
  );
  const file =
    `--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="${escapeName(basename(path))}"\r\n` +
    `Content-Type: ${TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(parts.join('') + file, 'utf8'),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`, 'utf8'),
  };
}

/**
 * A name as browsers write it: UTF-8, with quotes and line breaks as %-escapes. Backslashes, which some servers take
 * for escapes, and other control characters become `_`.
 */
export function escapeName(name: string): string {
  return name
    .replace(/"/g, '%22')
    .replace(/\r/g, '%0D')
    .replace(/\n/g, '%0A')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/g, '_');
}
