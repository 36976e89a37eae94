import { SaxesParser } from 'saxes';
import { WorkbookError } from './zip-parts';

/** The start of an element: its name without a prefix, and its attributes, also without theirs (`r:id` as `id`). */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface XmlHandler {
  open?(element: XmlElement): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Bytes decoded at once. */
const PIECE = 256 * 1024;
/** Workbooks don't nest elements more deeply than this. */
const MAX_DEPTH = 100;

/** Reads a part of a workbook, piece by piece. No entity but XML's own five is known. @throws WorkbookError */
export function readXml(part: string, bytes: Uint8Array, handler: XmlHandler): void {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('doctype', () => {
    throw new WorkbookError(`is damaged: ${part} has a document type`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > MAX_DEPTH) throw new WorkbookError(`is damaged: ${part} is nested too deeply`);
    handler.open?.({ name: local(name), attributes: localNames(attributes) });
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    handler.close?.(local(name));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (let from = 0; from < bytes.length; from += PIECE)
      parser.write(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }));
    parser.write(decoder.decode());
    parser.close();
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    throw new WorkbookError(`is damaged: ${part} can’t be read`, { cause: error });
  }
}

function localNames(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const named: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(attributes)) named[local(name)] = value;
  return named;
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
