import { type LogEntry } from '../sandbox/store/log-entries';
import { type ManifestRow } from './manifest';

/** A row in `results -o json`. */
export interface ShownRow {
  key: string;
  title: string | null;
  state: string;
  code: string | null;
  publication_id: string | null;
  candidates: readonly string[];
}

export interface Verdict {
  duplicates: number;
  lost: number;
  unconfirmed: number;
  /** What is wrong, one sentence each. */
  wrong: string[];
}

/** States in which a row may end; a row in another one is lost, because most services here refuse and fail nothing. */
const ENDS = ['published', 'unconfirmed'];

export interface Allowed {
  /** States in which a row may end. */
  ends: readonly string[];
  /** The service answers some creates with an invented id, which a row that isn’t published may show. */
  inventedIds: boolean;
  /** The service has a list in which the publication of an unconfirmed row can be found. */
  candidatesShown: boolean;
}

export const ALLOWED: Allowed = { ends: ENDS, inventedIds: false, candidatesShown: true };

/**
 * Compares what a user sees with the service's own log: each row of the manifest once and in a final state, no row
 * accepted twice, and every accepted create either its row's publication or among its row's candidates.
 */
export function verdictOf(
  manifest: readonly ManifestRow[],
  shown: readonly ShownRow[],
  log: readonly LogEntry[],
  allowed: Allowed = ALLOWED,
): Verdict {
  const wrong: string[] = [];
  const rows = new Map<string, ShownRow>();
  const lost = new Set<string>();
  for (const row of shown) {
    if (rows.has(row.key)) wrong.push(`${row.key} is in the results twice`);
    rows.set(row.key, row);
  }
  const lose = (key: string, what: string): void => {
    lost.add(key);
    wrong.push(`${key} ${what}`);
  };
  for (const { key } of manifest) {
    const row = rows.get(key);
    if (row === undefined) lose(key, 'is not in the results');
    else if (!allowed.ends.includes(row.state)) lose(key, `is left ${row.state} (${row.code ?? 'no code'})`);
  }
  const accepted = new Map<string, LogEntry[]>();
  for (const entry of log) {
    for (const mark of [entry.title, entry.url]) {
      if (mark !== undefined && mark !== null) accepted.set(mark, [...(accepted.get(mark) ?? []), entry]);
    }
  }
  let duplicates = 0;
  const ids = new Map<string, string>();
  for (const { key, title, url } of manifest) {
    const entries = accepted.get(url ?? title) ?? [];
    const row = rows.get(key);
    if (entries.length > 1) {
      duplicates += entries.length - 1;
      wrong.push(`${key} was accepted ${entries.length} times: ${entries.map((entry) => entry.id).join(', ')}`);
    }
    if (row === undefined) continue;
    if (row.publication_id !== null) {
      const other = ids.get(row.publication_id);
      if (other !== undefined) wrong.push(`${key} and ${other} both have publication ${row.publication_id}`);
      ids.set(row.publication_id, key);
      const invented = allowed.inventedIds && row.state !== 'published';
      if (!invented && !entries.some((entry) => entry.id === row.publication_id)) {
        wrong.push(`${key} has publication ${row.publication_id}, which was not made for it`);
      }
      continue;
    }
    for (const { id } of entries) {
      if (row.state !== 'unconfirmed') lose(key, `is ${row.state}, but the service has its publication ${id}`);
      else if (allowed.candidatesShown && !row.candidates.includes(id))
        wrong.push(`${key} is unconfirmed, and ${id} is not among its candidates`);
    }
  }
  const unconfirmed = shown.filter((row) => row.state === 'unconfirmed').length;
  return { duplicates, lost: lost.size, unconfirmed, wrong };
}
