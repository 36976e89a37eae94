import {
  type DecideOptions,
  type Decision,
  type Differences,
  type ExistingRow,
  type FieldChange,
  PATCH_FIELDS,
} from './submission-types';
import { problem } from './errors';
import { type Entry, type RowValues } from './types';

/**
 * The fields that PATCH doesn't take. Platform and profile are part of a row's identity, so a changed one is another
 * row.
 */
const FIXED: ReadonlySet<string> = new Set(['source', 'file', 'via']);

/** The difference between two versions of a row's values, as far as PATCH can apply it. */
export function draftPatch(before: RowValues, after: RowValues): FieldChange[] {
  return PATCH_FIELDS.flatMap((field) => {
    const to = after[field];
    return to === null || to === before[field] ? [] : [{ field, from: before[field], to }];
  });
}

/**
 * A draft whose row changed: what the interface allows to be changed is changed; the rest is reported, or leads to a
 * new publication.
 */
export function whenDrafted(
  existing: ExistingRow,
  entry: Entry,
  changed: Differences,
  options: DecideOptions,
): Decision {
  if (!changed.any || entry.skip) return { action: 'leave' };
  const publishes = entry.values.status === 'published' && changed.names.includes('status');
  const fixed = changed.names.filter((name) => FIXED.has(name));
  if (options.recreate === true && (publishes || fixed.length > 0)) return { action: 'recreate' };
  if (publishes) {
    return {
      action: 'refuse',
      problem: problem(entry, 'error', 'draft-cannot-be-published', {
        message: `key ${entry.key} is a draft at the service, and the interface shows no move from there to published`,
        hint: 'use status: pending (its meaning at the service isn’t documented), or --recreate (a new publication, then the draft’s record is deleted)',
      }),
    };
  }
  if (fixed.length > 0 && !options.acceptDifferences) {
    return {
      action: 'refuse',
      problem: problem(entry, 'error', 'draft-fixed', {
        message: `${fixed.join(', ')} changed, but key ${entry.key} is a draft already: source, platform and profile of a publication can’t be changed`,
        hint: 'use --recreate for a new publication (the draft’s record is deleted then), or --accept-differences to leave the draft’s as it is',
      }),
    };
  }
  const changes = draftPatch(existing.values, entry.values);
  const left = changed.names.filter((name) => !fixed.includes(name) && !changes.some(({ field }) => field === name));
  const difference =
    left.length === 0 || options.acceptDifferences
      ? {}
      : {
          problem: problem(entry, 'warning', 'differs', {
            message: `${left.join(', ')} changed in a way that can’t be sent for a draft: it stays as it is`,
            hint: 'a value can be changed, not cleared; accept it with --accept-differences',
          }),
        };
  return changes.length === 0 ? { action: 'differs', ...difference } : { action: 'patch', changes, ...difference };
}
