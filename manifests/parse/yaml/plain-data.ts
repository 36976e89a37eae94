import { isMap, isScalar, isSeq, type Node } from 'yaml';

/** No setting and no cell needs more: beyond it, a few lines with aliases expand without bound. */
const MAX_NODES = 10_000;
const MAX_DEPTH = 100;

class TooMuch extends Error {}

/** Converts a YAML node to plain data; aliases are followed, within limits. */
export class PlainData {
  readonly #resolve: (node: Node | null) => Node | null;
  readonly #spend: (nodes: number) => boolean;
  #nodes = 0;

  /** `spend` counts nodes for the whole document, and is false once they are too many. */
  constructor(resolve: (node: Node | null) => Node | null, spend: (nodes: number) => boolean) {
    this.#resolve = resolve;
    this.#spend = spend;
  }

  /** The data, or undefined where it is too large, too deep, or contains itself. */
  of(node: Node | null): unknown {
    try {
      return this.#plain(node, 0);
    } catch (error) {
      if (error instanceof TooMuch) return undefined;
      throw error;
    }
  }

  #plain(written: Node | null, depth: number): unknown {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || depth > MAX_DEPTH || !this.#spend(1)) throw new TooMuch();
    const node = this.#resolve(written);
    if (node === null) return null;
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item) => this.#plain(item as Node | null, depth + 1));
    if (!isMap(node)) return null;
    const entries = node.items.map(({ key, value }): [string, unknown] => {
      const name = isScalar(key) ? (typeof key.value === 'string' ? key.value : (key.source ?? '')) : '';
      return [name, this.#plain(value as Node | null, depth + 1)];
    });
    return Object.fromEntries(entries);
  }
}
