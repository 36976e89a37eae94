import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { PlainData } from './plain-data';
import { type Place, type ProblemList } from '../../problems/problems';
import { showValue } from '../../text';
import { parseAll, STRANGE_INDENT, syntaxHint, tellStrangeIndent, weightOf } from './yaml-syntax';

/** One key of a mapping with its value, merged ones included. */
export interface YamlEntry {
  name: string;
  key: Scalar;
  value: Node | null;
  at: Place;
}
const MAX_MERGE_DEPTH = 20;
/**
 * The limit of what aliases and merges may add, in nodes beyond one for each character of the text: otherwise a few
 * lines could cause hours of work. A manifest of 100,000 rows that each merge ten fields stays far below it.
 */
const FREE_NODES = 200_000;
/** A merged entry becomes a cell, which is checked. */
const NODES_OF_ENTRY = 3;
const MAX_SYNTAX_PROBLEMS = 100;

/** A parsed YAML with its lines; aliases and merges are followed here, so that they stay bounded. */
export class YamlDocument {
  readonly #lines: LineCounter;
  readonly #document: Document;
  readonly #problems: ProblemList;
  readonly #targets = new Map<Node, Node>();
  readonly #aliased = new Set<Node>();
  readonly #duplicatesTold = new Set<Node>();
  readonly #faulty = new Set<YAMLMap>();
  #nodesLeft: number;

  private constructor(document: Document, lines: LineCounter, problems: ProblemList, characters: number) {
    this.#nodesLeft = FREE_NODES + characters;
    this.#document = document;
    this.#lines = lines;
    this.#problems = problems;
    this.#findTargets();
  }

  /** Parses a text; undefined after errors that leave nothing to check. */
  static parse(text: string, problems: ProblemList): YamlDocument | undefined {
    const lines = new LineCounter();
    const all = parseAll(text, lines, problems);
    if (all === undefined) return undefined;
    const [first, second] = all;
    let broken = false;
    let reported = 0;
    const faults = all
      .flatMap((document) => [...document.errors, ...document.warnings])
      .map((fault) => ({ fault, line: lines.linePos(fault.pos[0]).line }));
    const strange =
      faults.length === 0 ? [] : [...text.matchAll(STRANGE_INDENT)].map(({ index }) => lines.linePos(index).line);
    const [indentedAt = Infinity] = strange;
    // Whatever the parser reports from there on may only follow from the indentation.
    const told = faults.filter(({ line }) => line < indentedAt);
    if (told.length < faults.length) {
      broken = true;
      tellStrangeIndent(strange, problems);
    }
    for (const { fault, line } of told) {
      broken = true;
      if ((reported += 1) > MAX_SYNTAX_PROBLEMS) break;
      const at = { line, column: null };
      if (fault.code === 'TAG_RESOLVE_FAILED') {
        problems.add({
          code: 'yaml-tag',
          at,
          message: `Line ${line} has a YAML tag: ${showValue(fault.message, 120)}.`,
        });
      } else
        problems.add({
          code: 'yaml-syntax',
          at,
          message: `Line ${line}: ${showValue(fault.message, 200)}.`,
          ...syntaxHint(fault.code, fault.message),
        });
    }
    if (second !== undefined) {
      const { line } = lines.linePos(second.range?.[0] ?? 0);
      problems.add({
        code: 'yaml-second-document',
        at: { line, column: null },
        message: `A second document begins by line ${line}; a manifest is one document.`,
      });
      broken = true;
    }
    if (first === undefined || broken) {
      if (first === undefined)
        problems.add({ code: 'no-rows', at: { line: null, column: null }, message: 'The file is empty.' });
      return undefined;
    }
    return new YamlDocument(first, lines, problems, text.length);
  }

  get root(): Node | null {
    return this.#document.contents;
  }

  lineOf(node: Node): number {
    return this.#lines.linePos(node.range?.[0] ?? 0).line;
  }

  /** The node itself, or the node that an alias refers to. */
  resolve(node: Node | null): Node | null {
    let resolved = node;
    for (let steps = 0; isAlias(resolved) && steps < MAX_MERGE_DEPTH; steps += 1)
      resolved = this.#targets.get(resolved) ?? null;
    if (isAlias(resolved)) return null;
    return resolved === node || this.#spend(weightOf(resolved)) ? resolved : null;
  }

  /** A node as plain data, or undefined if aliases make it too large or circular. */
  toPlain(node: Node | null): unknown {
    return new PlainData(
      (alias) => this.resolve(alias),
      (nodes) => this.#spend(nodes),
    ).of(node);
  }

  /** Whether an alias refers to this very node. */
  isAliased(node: Node): boolean {
    return this.#aliased.has(node);
  }

  /** The keys of a mapping, own ones before merged ones. Reports duplicates, with both lines. */
  entries(map: YAMLMap): YamlEntry[] {
    const found = new Map<string, YamlEntry>();
    this.#collect(map, found, 0, map);
    return [...found.values()];
  }

  /** Whether a mapping was found to have duplicate keys, or a merge that doesn’t work. */
  isFaulty(map: YAMLMap): boolean {
    return this.#faulty.has(map);
  }

  #collect(map: YAMLMap, found: Map<string, YamlEntry>, depth: number, root: YAMLMap): void {
    const own = new Map<string, YamlEntry>();
    const merges: Node[] = [];
    for (const pair of map.items) {
      const key = pair.key as Node | null;
      const value = pair.value as Node | null;
      if (!isScalar(key)) {
        this.#tell('yaml-shape', key ?? map, 'A key must be plain text.');
        continue;
      }
      if (key.value === '<<' && key.type === 'PLAIN') {
        if (value !== null) merges.push(value);
        continue;
      }
      // Kept as a key of the user's own, it would lose the data to be merged.
      if (typeof key.value === 'string' && /^<+$/.test(key.value.trim())) {
        const message = `The key ${showValue(key.source ?? key.value)} merges nothing: that is << without quotes.`;
        this.#tell('yaml-alias', key, message, 'Write <<: *NAME, or the fields themselves.');
        this.#faulty.add(root);
        continue;
      }
      const name = typeof key.value === 'string' ? key.value : (key.source ?? '');
      const line = this.lineOf(key);
      if (name.search(STRANGE_INDENT) !== -1) {
        this.#faulty.add(root);
        tellStrangeIndent([line], this.#problems);
        continue;
      }
      const before = own.get(name);
      if (before === undefined) own.set(name, { name, key, value, at: { line, column: name } });
      else if (!this.#duplicatesTold.has(key)) {
        this.#duplicatesTold.add(key);
        this.#faulty.add(root);
        const message = `“${showValue(name)}” stands on line ${before.at.line ?? 0} and again on line ${line}.`;
        this.#problems.add({ code: 'yaml-duplicate-key', at: { line, column: name }, message });
      }
    }
    for (const [name, entry] of own) if (!found.has(name)) found.set(name, entry);
    for (const merge of merges) this.#merge(merge, found, depth, root);
  }

  #merge(node: Node, found: Map<string, YamlEntry>, depth: number, root: YAMLMap): void {
    const target = this.resolve(node);
    const maps = isSeq(target) ? (target.items as Node[]).map((item) => this.resolve(item)) : [target];
    for (const map of maps) {
      if (!isMap(map)) {
        this.#tell('yaml-alias', node, 'The value that << merges is not a mapping with an anchor above it.');
        this.#faulty.add(root);
        continue;
      }
      if (depth >= MAX_MERGE_DEPTH || !this.#spend((map.items.length + 1) * NODES_OF_ENTRY)) {
        this.#tell('yaml-alias', node, 'Merges are nested too deeply, in a circle, or too many.');
        this.#faulty.add(root);
        return;
      }
      this.#collect(map, found, depth + 1, root);
    }
  }

  /** False once aliases and merges add up to too much, which makes the manifest refused. */
  #spend(nodes: number): boolean {
    const before = this.#nodesLeft;
    this.#nodesLeft -= nodes;
    if (before >= 0 && this.#nodesLeft < 0) {
      const message =
        'The aliases and merges of the YAML add up to far more than its text: the rest of them was not followed.';
      const hint = 'Write long values into the rows themselves, or use a CSV.';
      this.#problems.add({ code: 'yaml-alias', at: { line: null, column: null }, message, hint });
    }
    return this.#nodesLeft >= 0;
  }

  #tell(code: 'yaml-shape' | 'yaml-alias', node: Node, message: string, hint?: string): void {
    const at = { line: this.lineOf(node), column: null };
    this.#problems.add({ code, at, message, ...(hint === undefined ? {} : { hint }) });
  }

  // An alias refers to the newest anchor of its name before it; looking each one up in the document would be quadratic.
  #findTargets(): void {
    const anchors = new Map<string, Node>();
    visit(this.#document, {
      Alias: (_key, alias) => {
        const target = anchors.get(alias.source);
        if (target === undefined) return;
        this.#targets.set(alias, target);
        this.#aliased.add(target);
      },
      Value: (_key, node) => {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
  }
}
