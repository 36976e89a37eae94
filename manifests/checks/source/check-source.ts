import { relative, resolve, sep } from 'node:path';
import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';
import { showValue } from '../../text';

/** A source understood: an absolute path, or a URL. `key` is what identifies it; null where it can't (a query). */
export interface Source {
  kind: 'file' | 'url';
  /** What is read or sent. */
  value: string;
  key: string | null;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Understands a source. Paths are literal and start at `base`, the manifest's folder. Undefined after an error. */
export function parseSource(cell: Cell, base: string, problems: ProblemList): Source | undefined {
  const text = cell.text.trim();
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return parsePath(text, cell, base, problems);
  const refuse = (message: string): void => {
    problems.add({ code: 'source-url', at: cell.at, value: text, message });
  };
  if (scheme === 'file') {
    refuse('file:// addresses aren’t read; give the path itself.');
    return undefined;
  }
  if (scheme !== 'http' && scheme !== 'https') {
    refuse(`The service downloads over http and https only, not ${scheme}.`);
    return undefined;
  }
  if (/[\s\u0000-\u001f\u007f\ufffd]/.test(text)) {
    refuse('The URL has a blank or control character in it.');
    return undefined;
  }
  if (!URL.canParse(text)) {
    refuse('The URL can’t be read.');
    return undefined;
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    refuse('The URL has a user name or password in it; the service needs a public one.');
    return undefined;
  }
  // The part after # never reaches a server.
  url.hash = '';
  if (isLocal(url.hostname)) {
    const message = `${url.hostname} is an address inside your own network: the service can’t download from it.`;
    problems.add({ code: 'url-not-public', at: cell.at, value: text, message });
  }
  return { kind: 'url', value: url.href, key: url.search === '' ? url.href : null };
}

function parsePath(text: string, cell: Cell, base: string, problems: ProblemList): Source | undefined {
  if (/[\u0000\ufffd]/.test(text)) {
    const message = 'The path has a character in it that no file’s name has (NUL, or one lost in a wrong encoding).';
    problems.add({ code: 'bad-character', at: cell.at, value: text, message });
    return undefined;
  }
  const value = resolve(base, text);
  return { kind: 'file', value, key: relative(base, value).split(sep).join('/').normalize('NFC') };
}

/** Whether a host is one that only its own network knows. URLs have their addresses in one form already. */
function isLocal(host: string): boolean {
  if (host.startsWith('['))
    return /^\[(::1?\]|f[cd]|fe[89ab]|::ffff:(7f[0-9a-f]{2}|a[0-9a-f]{2}|a9fe|c0a8|ac1[0-9a-f]):)/.test(host);
  if (/^[\d.]+$/.test(host))
    return /^(0\.|10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/.test(
      host,
    );
  const name = host.replace(/\.$/, '');
  return !name.includes('.') || /\.(localhost|local|lan|internal|intranet|home\.arpa|test)$/.test(name);
}

/** A path for a message: as written, and absolute where that says more. */
export function showPath(written: string, absolute: string): string {
  return written === absolute
    ? `“${showValue(absolute, 300)}”`
    : `“${showValue(written, 120)}” (${showValue(absolute, 300)})`;
}
