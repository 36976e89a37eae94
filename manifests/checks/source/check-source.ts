import { relative, resolve, sep } from 'node:path';
import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';
import { showValue } from '../../text';
import { type RemoteTrust } from '../../types';
import { isPrivateHost } from './private-host';
import { sharePage } from './share-page';

/** A parsed source: an absolute path, or a URL. `key` is what identifies it; null if it can't (a query). */
export interface Source {
  kind: 'file' | 'url';
  /** What is read or sent. */
  value: string;
  key: string | null;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/**
 * Parses a source. Paths are literal and start at `base`, the manifest's folder; a manifest from a URL has none.
 * Undefined after an error.
 */
export function parseSource(
  cell: Cell,
  { base, remote, problems }: { base: string; remote: RemoteTrust | null; problems: ProblemList },
): Source | undefined {
  const text = cell.text.trim();
  const halfScheme = /^(https?)(?::\/?(?!\/)|\/\/)/i.exec(text);
  if (halfScheme !== null) {
    const [start, name = ''] = halfScheme;
    const written = `${name.toLowerCase()}://`;
    const message = `The URL starts with ${start} instead of ${written}.`;
    problems.add({ code: 'source-url', at: cell.at, value: text, message, hint: `Write ${written} at its start.` });
    return undefined;
  }
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (remote !== null && scheme !== 'http' && scheme !== 'https') {
    const message = 'A manifest from a URL can name no files of this machine.';
    problems.add({ code: 'remote-file', at: cell.at, value: text, message });
    return undefined;
  }
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
    refuse('The URL has a space or control character in it.');
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
  if (isPrivateHost(url.hostname)) {
    if (remote !== null && !remote.privateHosts.includes(url.hostname)) {
      const message = `${url.hostname} is an address inside your own network; a manifest from a URL can’t name it.`;
      problems.add({ code: 'remote-private-host', at: cell.at, value: text, message });
      return undefined;
    }
    const message = `${url.hostname} is an address inside your own network: the service can’t download from it.`;
    problems.add({ code: 'url-not-public', at: cell.at, value: text, message });
  }
  const share = sharePage(url);
  if (share !== null) problems.add({ code: 'url-page', at: cell.at, value: text, ...share });
  // Usually they are equal; then the cell's own text is used for both, and isn't stored twice.
  const value = url.href === text ? text : url.href;
  return { kind: 'url', value, key: url.search === '' ? value : null };
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

/** A path for a message: as written, and also absolute if that adds something. */
export function showPath(written: string, absolute: string): string {
  return written === absolute
    ? `“${showValue(absolute, 300)}”`
    : `“${showValue(written, 120)}” (${showValue(absolute, 300)})`;
}
