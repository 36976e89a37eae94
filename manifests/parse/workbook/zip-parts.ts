import { unzipSync, type UnzipFileInfo } from 'fflate';

/** Maximum number of bytes unpacked from one workbook: a small file may claim to contain terabytes. */
export const MAX_UNPACKED_BYTES = 400 * 1024 * 1024;

/** A workbook that can't be read. The message continues “The workbook …”. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/** The parts of a workbook, unpacked on demand. */
export class ZipParts {
  readonly #bytes: Uint8Array;
  readonly #names = new Set<string>();
  #left = MAX_UNPACKED_BYTES;

  /** @throws WorkbookError */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#unzip((file) => {
      this.#names.add(file.name);
      return false;
    });
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** A part's bytes, or undefined where there is none. @throws WorkbookError */
  read(name: string): Uint8Array | undefined {
    if (!this.has(name)) return undefined;
    // An archive may contain a name twice; the first counts, so that nothing is unpacked twice.
    let taken = false;
    const files = this.#unzip((file) => {
      if (file.name !== name || taken) return false;
      taken = true;
      this.#left -= file.originalSize;
      if (this.#left < 0) {
        const most = `${String(MAX_UNPACKED_BYTES / 1024 / 1024)} MiB`;
        throw new WorkbookError(`would unpack to more than ${most}`);
      }
      return true;
    });
    return Object.hasOwn(files, name) ? files[name] : undefined;
  }

  // What is unpacked is never more than the size that the archive's directory states, which the filter has seen.
  #unzip(filter: (file: UnzipFileInfo) => boolean): Record<string, Uint8Array> {
    try {
      return unzipSync(this.#bytes, { filter });
    } catch (error) {
      if (error instanceof WorkbookError) throw error;
      throw new WorkbookError('is damaged: its ZIP archive can’t be read', { cause: error });
    }
  }
}
