import { problem, type SubmissionProblem } from '../model/errors';
import { sourceHash, sourceIdentity } from '../model/source';
import { type LeftOutRow } from '../model/submission-types';
import { commandText } from '../../wording/shell';
import { type Tx } from '../engine/store';
import { type FoundRow } from '../rows/row-lookup';

/** Of the rows that are stored with one statement. */
const PAGE = 500;

/** Stores which rows of a manifest its submission left out. A key that is only the source may change with it. */
export async function noteLeftOut(tx: Tx, submission: number, rows: readonly LeftOutRow[]): Promise<void> {
  const byLine = new Map(
    rows.map(({ line, key, source }) => {
      const own = source !== null && key === sourceIdentity(source) ? null : key;
      return [line, { submission_id: submission, line, key: own, source_hash: sourceHash(source) }] as const;
    }),
  );
  const all = [...byLine.values()];
  for (let from = 0; from < all.length; from += PAGE)
    await tx
      .insertInto('left_out')
      .values(all.slice(from, from + PAGE))
      .execute();
}

/** Of the rows that are listed in one message. */
const SHOWN = 5;

/**
 * The rows of a manifest that are left out because of an error. The manifest still has them, so an unsent row of the
 * campaign that one of them names has not vanished: it may neither be sent with its earlier values nor be pruned.
 */
export class LeftOutRows {
  private readonly byKey = new Map<string, LeftOutRow>();
  private readonly bySource = new Map<string, LeftOutRow>();
  private readonly withoutKey: LeftOutRow[] = [];
  private readonly found = new Set<LeftOutRow>();

  constructor(rows: readonly LeftOutRow[]) {
    for (const row of rows) {
      if (row.key === null) this.withoutKey.push(row);
      else this.byKey.set(row.key, row);
      if (row.source !== null) this.bySource.set(sourceIdentity(row.source), row);
    }
  }

  /** The left-out row with a row's key or source, in any channel: its channel may be what is wrong in it. */
  of({ key, values }: Pick<FoundRow, 'key' | 'values'>): LeftOutRow | undefined {
    const row =
      this.byKey.get(key) ?? (values.source === null ? undefined : this.bySource.get(sourceIdentity(values.source)));
    if (row) this.found.add(row);
    return row;
  }

  /**
   * Once `of` was asked for every row that the entries don't name: a left-out row whose key can't be read may be any of
   * the `unsent` ones that are left.
   */
  unreadable(campaign: string, unsent: readonly { key: string }[]): SubmissionProblem | null {
    const lost = this.withoutKey.filter((row) => !this.found.has(row));
    const [first] = lost;
    const [any] = unsent;
    if (first === undefined || any === undefined) return null;
    const shown = unsent.slice(0, SHOWN).map(({ key }) => key);
    const more = unsent.length > shown.length ? ` and ${unsent.length - shown.length} more` : '';
    const others = lost.length > 1 ? ` (and ${lost.length - 1} more)` : '';
    return problem({ line: first.line, key: null }, 'error', 'left-out-unsent', {
      message: `line ${first.line}${others} is left out because of an error, and its key can’t be read: it may be a row that is not sent yet and that no other line has: ${shown.join(', ')}${more}`,
      hint: hint(campaign, any.key, unsent.length === 1 ? 'with' : 'that it is, such as with'),
    });
  }
}

function hint(campaign: string, key: string, how = 'with'): string {
  return `correct the line; or cancel the earlier row ${how} \`${commandText(['cancel', campaign, '--key', key])}\`, then submit again`;
}

/** An unsent row whose new version has an error. */
export function leftOutProblem(
  campaign: string,
  { line }: LeftOutRow,
  { key }: Pick<FoundRow, 'key'>,
): SubmissionProblem {
  return problem({ line, key }, 'error', 'left-out-unsent', {
    message: `key ${key} is left out because of an error, but its earlier version is not sent yet and would still be sent`,
    hint: hint(campaign, key),
  });
}
