import { problem, type SubmissionProblem } from './errors';
import { isDamaged } from './damaged-text';
import { isEnd, type RowState } from './states';
import { sourceIdentity } from './source';
import { whenDrafted } from './draft-rules';
import { type Entry, type RowValues } from './types';
import {
  type DecideOptions,
  type Decision,
  type Differences,
  type ExistingRow,
  type PlanAction,
} from './submission-types';

/** A `publish_at` missed by more than this (ms) is late. */
export const LATE_AFTER_MS = 3600 * 1000;

/** The code of a row that was not sent before its deadline. */
export const DEADLINE_PASSED = 'deadline-passed';

/** The code of a row whose video is, or was, sent to the same channel in another campaign or under another key. */
export const SOURCE_REPEATED = 'source-repeated';

/** The code of a row that a person cancelled, by itself or with its run or channel. */
export const CANCELLED = 'cancelled';

/** The code of a row that was cancelled because a manifest no longer had it. */
export const PRUNED = 'pruned';

/** The decision table of a submit, for one entry and the row it names. Pure. */
export function decide(existing: ExistingRow | null, entry: Entry, options: DecideOptions): Decision {
  if (entry.values.status === 'pending' && !entry.skip && mayBeCreated(existing)) return pendingNeedsDraft(entry);
  if (!existing) return entry.skip ? { action: 'skip' } : orRepeated('create', entry, options);
  const damaged = entry.skip || options.acceptDifferences ? null : damagedText(existing, entry);
  if (damaged !== null) return damaged;
  const changed = entryDifferences(existing.values, entry);
  switch (existing.state) {
    case 'planned':
    case 'waiting':
      if (entry.skip) return { action: 'skip' };
      if (changed.source) return orRepeated('update', entry, options);
      return {
        action: changed.any || changed.resigned || changed.touched || changed.deadline ? 'update' : 'continue',
      };
    case 'creating':
    case 'processing':
      if (entry.skip) changed.names.push('skip');
      if (existing.values.adopted) return { action: 'leave' };
      return changed.names.length > 0
        ? { action: 'too-late', problem: tooLate(existing, entry, changed.names) }
        : { action: 'leave' };
    case 'failed':
    case 'rejected':
      return (changed.any || changed.resigned) && !entry.skip
        ? orRepeated('attempt', entry, options)
        : { action: 'leave' };
    case 'cancelled':
      return whenCancelled(existing, entry, changed, options);
    case 'published':
    case 'submitted':
      return whenOut(existing, entry, changed, options);
    case 'drafted':
      return whenDrafted(existing, entry, changed, options);
    case 'unconfirmed':
      return { action: 'leave', problem: unsettled(existing, entry) };
    case 'overdue':
      return { action: 'leave' };
  }
}

function whenCancelled(existing: ExistingRow, entry: Entry, changed: Differences, options: DecideOptions): Decision {
  // Given up after a create that may have happened: only a person can decide that it is sent again.
  if (existing.sent || entry.skip) return { action: 'leave' };
  if (options.leaveCancelled === true && existing.code === CANCELLED) return { action: 'leave' };
  if (options.leavePruned === true && existing.code === PRUNED && !changed.any) return { action: 'leave' };
  // Skipped because its time was missed: the same time would be missed again.
  if (existing.code === 'late' && !changed.names.includes('publish_at')) return { action: 'leave' };
  if (existing.code === DEADLINE_PASSED && !changed.deadline) return { action: 'leave' };
  return orRepeated('recreate', entry, options);
}

function whenOut(existing: ExistingRow, entry: Entry, changed: Differences, options: DecideOptions): Decision {
  if (existing.values.adopted) return { action: 'leave' };
  if (changed.source) {
    const where = existing.run === null ? '' : ` by run ${existing.run}`;
    return {
      action: 'refuse',
      problem: problem(entry, 'error', 'key-reused', {
        message: `key ${entry.key} is already ${existing.state}${where} with another source`,
        hint: 'give the new video its own key; a key always names the same video',
      }),
    };
  }
  if (!changed.any) return { action: 'leave' };
  if (options.acceptDifferences) return { action: 'differs' };
  return {
    action: 'differs',
    problem: problem(entry, 'warning', 'differs', {
      message: `${changed.names.join(', ')} changed, but the row is ${existing.state} already and stays as it was sent`,
      hint: 'change it on the platform by hand, or keep it as it is with --accept-differences',
    }),
  };
}

function orRepeated(action: PlanAction, entry: Entry, options: DecideOptions): Decision {
  if (options.elsewhere === null || options.repeat === 'allow') return { action };
  return {
    action: 'refuse',
    problem: problem(entry, 'error', SOURCE_REPEATED, {
      message: `the same source is, or was, sent to the same channel in ${options.elsewhere}`,
      hint: `remove the row, or allow it with ${options.format === 'csv' ? '--repeat allow' : 'repeat: allow'}`,
    }),
  };
}

function tooLate(existing: ExistingRow, entry: Entry, names: readonly string[]): SubmissionProblem {
  return problem(entry, 'warning', 'too-late', {
    message: `${names.join(', ')} changed too late: the row is ${existing.state}`,
    hint: 'it is sent as it was accepted; change it on the platform afterwards',
  });
}

function unsettled(existing: ExistingRow, entry: Entry): SubmissionProblem {
  return problem(entry, 'warning', 'unsettled', {
    message: `it isn’t known whether key ${entry.key} was published${existing.run === null ? '' : ` by run ${existing.run}`}; it is left alone`,
    hint: 'check the channel, then use resolve',
  });
}

/** A row that has no publication, and nothing that may be one. */
function mayBeCreated(existing: ExistingRow | null): boolean {
  if (existing === null) return true;
  return (
    ['planned', 'waiting', 'failed', 'rejected'].includes(existing.state) ||
    (existing.state === 'cancelled' && !existing.sent)
  );
}

/** A sheet saved in the wrong encoding changes every text in it that isn’t plain ASCII. */
function damagedText(existing: ExistingRow, entry: Entry): Decision | null {
  const field = (['title', 'description'] as const).find((name) =>
    isDamaged(existing.values[name], entry.values[name]),
  );
  if (field === undefined) return null;
  return {
    action: 'refuse',
    problem: problem(entry, 'error', 'garbled-text', {
      message: `the ${field} of key ${entry.key} looks like the accepted one read in the wrong encoding`,
      hint: 'save the sheet as “CSV UTF-8” from a copy in which the text is right; if it is intended, --accept-differences accepts it',
    }),
  };
}

function pendingNeedsDraft(entry: Entry): Decision {
  return {
    action: 'refuse',
    problem: problem(entry, 'error', 'pending-needs-draft', {
      message: `key ${entry.key} has status pending, but no draft: a publication can’t be created as pending`,
      hint: 'submit it as a draft first, then with status: pending',
    }),
  };
}

/**
 * Which of a row's effective values an entry changes. Of a skipped entry only its identity is read, not what would be
 * sent: only a source that it names can differ.
 */
export function entryDifferences(before: RowValues, { skip, values }: Pick<Entry, 'skip' | 'values'>): Differences {
  return differences(before, skip ? { ...before, source: values.source ?? before.source } : values);
}

/** Which of a row's effective values changed. A URL with only a new signature is the same source. */
export function differences(before: RowValues, after: RowValues): Differences {
  if (before === after)
    return { any: false, source: false, resigned: false, touched: false, deadline: false, names: [] };
  // The source of an adopted publication isn't known.
  const source = before.adopted !== true && identity(before.source) !== identity(after.source);
  const names: string[] = source ? ['source'] : [];
  if (!source && before.adopted !== true && before.fileSize !== after.fileSize) names.push('file');
  if (before.title !== after.title) names.push('title');
  if (before.description !== after.description) names.push('description');
  if (before.privacy !== after.privacy) names.push('privacy');
  if (before.status !== after.status) names.push('status');
  if (before.adopted !== true && before.publishAt !== after.publishAt) names.push('publish_at');
  if (before.adopted !== true && before.via !== after.via) names.push('via');
  return {
    any: names.length > 0,
    source,
    resigned: !source && before.adopted !== true && before.source !== after.source,
    touched: before.fileModifiedMs !== after.fileModifiedMs,
    deadline: before.deadline !== after.deadline,
    names,
  };
}

function identity(source: string | null): string | null {
  return source === null ? null : sourceIdentity(source);
}

/** Whether a row may still be sent, or was sent: another row with its source would be a second publication. */
export function countsAsDone(state: RowState): boolean {
  return !isEnd(state) || !['failed', 'rejected', 'cancelled'].includes(state);
}
