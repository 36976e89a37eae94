import { decode as decodeLegacy, encodingExists } from 'iconv-lite';
import { type ProblemList } from './problems';
import { showValue } from './text';

/** Name of a spreadsheet's own format, recognised by its first bytes, or undefined. */
export function spreadsheetFormat(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 4096).toString('latin1');
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return 'an old Excel workbook (.xls)';
  if (!head.startsWith('PK\x03\x04')) return undefined;
  if (head.includes('opendocument.spreadsheet')) return 'an OpenDocument spreadsheet (.ods)';
  if (head.includes('Index/') || head.includes('.iwa')) return 'a Numbers document';
  return head.includes('[Content_Types].xml') || head.includes('xl/') ? 'an Excel workbook (.xlsx)' : 'a ZIP archive';
}

/**
 * Decodes a manifest strictly: UTF-8 (with or without a byte order mark), UTF-16 with a mark, or the encoding named.
 * Bytes that don't fit are a problem with line and byte offset, and the result is undefined: nothing is guessed.
 */
export function decodeText(
  bytes: Buffer,
  problems: ProblemList,
  options: { encoding?: string; file?: string | null },
): string | undefined {
  const file = options.file ?? null;
  const whole = { line: null, column: null, file };
  const marked = decodeMarked(bytes);
  if (marked?.text !== undefined) return marked.text;
  if (marked !== undefined) {
    problems.add({
      code: 'encoding',
      at: whole,
      message: `The file starts as ${marked.name} but isn’t valid ${marked.name}.`,
    });
    return undefined;
  }
  const encoding = options.encoding?.trim();
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) {
    if (encodingExists(encoding)) return decodeLegacy(bytes, encoding, { stripBOM: true });
    problems.add({
      code: 'encoding',
      at: whole,
      value: encoding,
      message: `The encoding “${showValue(encoding)}” isn’t known.`,
    });
    return undefined;
  }
  const zero = bytes.subarray(0, 4096).indexOf(0);
  if (zero === 0 || zero === 1) {
    problems.add({
      code: 'encoding',
      at: whole,
      message: 'The file looks like UTF-16 without a byte order mark.',
      hint: `Save it as “CSV UTF-8”, or give --encoding ${zero === 0 ? 'utf-16be' : 'utf-16le'}.`,
    });
    return undefined;
  }
  return decodeUtf8(bytes, problems, file);
}

function decodeMarked(bytes: Buffer): { name: string; text?: string } | undefined {
  const name =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  if (name === undefined) return undefined;
  try {
    return { name, text: new TextDecoder(name, { fatal: true }).decode(bytes) };
  } catch {
    return { name };
  }
}

function decodeUtf8(bytes: Buffer, problems: ProblemList, file: string | null): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const offset = firstBadByte(bytes);
    const line = lineAt(bytes, offset);
    const bad = `0x${(bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0')}`;
    problems.add({
      code: 'encoding',
      at: { line, column: null, file },
      value: bad,
      message: `Line ${line} isn’t UTF-8: the byte ${bad} at offset ${offset} of the file doesn’t fit.`,
    });
    return undefined;
  }
}

// Decoding leniently and encoding again gives other bytes exactly from the first one that was replaced.
function firstBadByte(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  let offset = 0;
  while (offset < bytes.length && bytes[offset] === again[offset]) offset += 1;
  return offset;
}

function lineAt(bytes: Buffer, offset: number): number {
  return bytes
    .subarray(0, offset)
    .toString('latin1')
    .split(/\r\n|\r|\n/).length;
}
