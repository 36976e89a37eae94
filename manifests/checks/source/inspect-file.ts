import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { nearest } from '../../fields/classify-column';
import { sniff, SNIFF_BYTES, type Sniffed } from './sniff';
import { showValue } from '../../text';

/** The result of inspecting a path. */
export type Inspection =
  | { kind: 'fine'; size: number; modifiedMs: number; sniffed: Sniffed | undefined }
  | {
      kind: 'bad';
      code: 'file-missing' | 'file-not-regular' | 'file-unreadable' | 'file-empty';
      message: string;
      hint?: string;
    };

/** Only this many names are compared letter by letter; beyond that no misspelling is looked for. */
const MAX_NAMES_COMPARED = 5000;
const MAX_SEARCHES = 200;

/** Inspects files, each once, and the folders around missing ones. */
export class FileInspector {
  readonly #found = new Map<string, Promise<Inspection>>();
  readonly #folders = new Map<string, Promise<string[] | undefined>>();
  #searches = 0;

  inspect(path: string): Promise<Inspection> {
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    const looking = this.#look(path);
    this.#found.set(path, looking);
    return looking;
  }

  async #look(path: string): Promise<Inspection> {
    try {
      const info = await stat(path);
      if (!info.isFile()) {
        const what = info.isDirectory() ? 'a folder' : 'a device, pipe or socket';
        return { kind: 'bad', code: 'file-not-regular', message: `is ${what}, not a file` };
      }
      if (info.size === 0) return { kind: 'bad', code: 'file-empty', message: 'is empty (0 bytes)' };
      return { kind: 'fine', size: info.size, modifiedMs: info.mtimeMs, sniffed: await sniffFile(path) };
    } catch (error) {
      return this.#explain(path, (error as NodeJS.ErrnoException).code ?? 'unknown error');
    }
  }

  async #explain(path: string, code: string): Promise<Inspection> {
    if (code === 'EACCES' || code === 'EPERM')
      return { kind: 'bad', code: 'file-unreadable', message: 'can’t be read: permission denied' };
    if (code === 'ENAMETOOLONG')
      return { kind: 'bad', code: 'file-missing', message: 'isn’t there: the name is longer than a file’s can be' };
    if (code === 'ELOOP')
      return { kind: 'bad', code: 'file-unreadable', message: 'can’t be read: its links go in a circle' };
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      return { kind: 'bad', code: 'file-unreadable', message: `can’t be read (${code})` };
    const names = await this.#names(dirname(path));
    if (names === undefined) return this.#explainFolder(await this.#missingFolder(dirname(path)));
    const name = basename(path);
    if (names.includes(name))
      return { kind: 'bad', code: 'file-missing', message: 'is a link to a file that isn’t there' };
    const near = this.#near(name, names);
    if (near === undefined) return { kind: 'bad', code: 'file-missing', message: 'isn’t there' };
    return {
      kind: 'bad',
      code: 'file-missing',
      message: `isn’t there, but ${near.how} is: “${showValue(near.name)}”`,
      hint: `Write “${showValue(near.name)}” exactly as the file is named.`,
    };
  }

  async #explainFolder(folder: string): Promise<Inspection> {
    const message = `isn’t there; nor is its folder ${showValue(folder, 300)}`;
    const siblings = (await this.#names(dirname(folder))) ?? [];
    const near = siblings.includes(basename(folder)) ? undefined : this.#near(basename(folder), siblings);
    if (near === undefined) return { kind: 'bad', code: 'file-missing', message };
    return {
      kind: 'bad',
      code: 'file-missing',
      message: `${message}, but ${near.how} is: “${showValue(near.name)}”`,
      hint: `Write “${showValue(near.name)}” exactly as the folder is named.`,
    };
  }

  #near(name: string, names: readonly string[]): { name: string; how: string } | undefined {
    const normal = name.normalize('NFC');
    const composed = names.find((other) => other.normalize('NFC') === normal);
    if (composed !== undefined) return { name: composed, how: 'one with its accents stored in another way' };
    const folded = normal.toLowerCase();
    const cased = names.find((other) => other.normalize('NFC').toLowerCase() === folded);
    if (cased !== undefined) return { name: cased, how: 'one in other upper and lower case' };
    this.#searches += 1;
    if (names.length > MAX_NAMES_COMPARED || this.#searches > MAX_SEARCHES) return undefined;
    const close = nearest(name, names);
    return close === undefined ? undefined : { name: close, how: 'a similar one' };
  }

  async #missingFolder(folder: string): Promise<string> {
    const parent = dirname(folder);
    return parent === folder || (await this.#names(parent)) !== undefined ? folder : this.#missingFolder(parent);
  }

  #names(folder: string): Promise<string[] | undefined> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const reading = readdir(folder).catch(() => undefined);
    this.#folders.set(folder, reading);
    return reading;
  }
}

async function sniffFile(path: string): Promise<Sniffed | undefined> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(SNIFF_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, SNIFF_BYTES, 0);
    return sniff(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
