import { isUtf8 } from 'node:buffer';
import { decode as decodeLegacy, encode as encodeLegacy, encodingExists } from 'iconv-lite';
import { type ProblemList } from '../problems/problems';
import { showValue } from '../text';

/** Name of a format that isn't a plain sheet, recognised by its first bytes, or undefined. */
export function foreignFormat(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 4096).toString('latin1');
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'))
    return 'an old Excel workbook (.xls), or one with a password';
  if (head.startsWith('PK\x03\x04')) return zipFormat(head);
  if (head.startsWith('%PDF')) return 'a PDF';
  if (head.startsWith('{\\rtf')) return 'a rich text document (RTF)';
  if (head.startsWith('\x1f\x8b')) return 'a compressed file (gzip)';
  const start = head.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (/^<(!doctype html|html|table|meta)\b/i.test(start)) return WEB_PAGE;
  return start.startsWith('<?xml') ? 'XML' : undefined;
}

function zipFormat(head: string): string {
  if (head.includes('opendocument.spreadsheet')) return 'an OpenDocument spreadsheet (.ods)';
  if (head.includes('Index/') || head.includes('.iwa')) return 'a Numbers document';
  return head.includes('[Content_Types].xml') || head.includes('xl/') ? WORKBOOK : 'a ZIP archive';
}

/** Whether these are the first bytes of an Excel workbook (.xlsx). */
export function isWorkbook(bytes: Buffer): boolean {
  return foreignFormat(bytes) === WORKBOOK;
}

/** The name that `foreignFormat` uses for HTML. */
export const WEB_PAGE = 'a web page, as some programs export under .xls';

const WORKBOOK = 'an Excel workbook (.xlsx)';

interface DecodeOptions {
  encoding?: string;
  file?: string | null;
}

/**
 * Decodes a manifest strictly: UTF-8 (with or without a byte order mark), UTF-16 with a mark, or the encoding named; a
 * mark overrides a name. Bytes that don't fit are a problem with line and byte offset, and the result is null:
 * nothing is guessed.
 */
export function decodeText(bytes: Buffer, problems: ProblemList, options: DecodeOptions): string | null {
  const file = options.file ?? null;
  const refuse = (problem: { line?: number; value?: string; message: string; hint?: string }): null => {
    const { line = null, ...rest } = problem;
    problems.add({ code: 'encoding', at: { line, column: null, file }, ...rest });
    return null;
  };
  const marked = markOf(bytes);
  if (marked === 'utf-32')
    return refuse({ message: 'The file is UTF-32, which isn’t read.', hint: 'Save it as “CSV UTF-8”.' });
  if (marked === 'utf-16le' || marked === 'utf-16be') return decodeUtf16(bytes, marked, refuse);
  const encoding = options.encoding?.trim();
  if (marked === undefined && encoding !== undefined && !/^utf-?8$/i.test(encoding))
    return decodeNamed(bytes, encoding, refuse);
  const zero = bytes.subarray(0, 4096).indexOf(0);
  if (zero === 0 || zero === 1) {
    return refuse({
      line: 1,
      message: `The file looks like UTF-16 without a byte order mark: its byte at offset ${zero} is 0.`,
      hint: `Save it as “CSV UTF-8”, or give --encoding ${zero === 0 ? 'utf-16be' : 'utf-16le'}.`,
    });
  }
  return decodeUtf8(bytes, refuse);
}

type Refuse = (problem: { line?: number; value?: string; message: string; hint?: string }) => null;

function markOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32' | undefined {
  const start = bytes.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'utf-32';
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : undefined;
}

function decodeUtf16(bytes: Buffer, name: 'utf-16le' | 'utf-16be', refuse: Refuse): string | null {
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes);
  } catch {
    // Decoded leniently, each unit keeps its position up to the first invalid one.
    const text = new TextDecoder(name).decode(bytes);
    const whole = bytes.length - (bytes.length % 2);
    const swapped = name === 'utf-16le' ? bytes.subarray(2, whole) : Buffer.from(bytes.subarray(2, whole)).swap16();
    const exact = swapped.toString('utf16le');
    let at = 0;
    while (at < exact.length && exact[at] === text[at]) at += 1;
    const offset = 2 + at * 2;
    const line = countLines(text.slice(0, at));
    return refuse({
      line,
      message: `The file starts as ${name} but isn’t valid ${name}: line ${line}, offset ${offset} of the file.`,
      hint: 'It may have been cut, or put together from two files: save it as “CSV UTF-8”.',
    });
  }
}

function decodeNamed(bytes: Buffer, encoding: string, refuse: Refuse): string | null {
  if (!encodingExists(encoding))
    return refuse({ value: encoding, message: `The encoding “${showValue(encoding)}” is not known.` });
  const text = decodeLegacy(bytes, encoding, { stripBOM: true });
  const lost = text.indexOf('\ufffd');
  if (lost === -1) return text;
  const before = text.slice(0, lost);
  const line = countLines(before);
  const offset = encodeLegacy(before, encoding).length;
  return refuse({
    line,
    value: encoding,
    message: `Line ${line} isn’t ${showValue(encoding)}: the bytes at offset ${offset} of the file are not valid in it.`,
    hint: 'Name the encoding the file was saved in, or save it as “CSV UTF-8”.',
  });
}

function decodeUtf8(bytes: Buffer, refuse: Refuse): string | null {
  // Text of plain letters stays at one byte a letter this way, half of what a decoder's text takes.
  if (isUtf8(bytes)) return bytes.toString('utf8', bytes.subarray(0, 3).toString('hex') === 'efbbbf' ? 3 : 0);
  const offset = firstBadByte(bytes);
  const line = countLines(bytes.subarray(0, offset).toString('latin1'));
  const bad = `0x${(bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0')}`;
  return refuse({
    line,
    value: bad,
    message: `Line ${line} isn’t UTF-8: the byte ${bad} at offset ${offset} of the file doesn’t fit.`,
  });
}

// Decoding leniently and encoding again gives other bytes exactly from the first one that was replaced.
function firstBadByte(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  let offset = 0;
  while (offset < bytes.length && bytes[offset] === again[offset]) offset += 1;
  return offset;
}

function countLines(text: string): number {
  return text.split(/\r\n|\r|\n/).length;
}
