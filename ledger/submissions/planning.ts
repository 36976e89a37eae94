import {
  type Decision,
  type EditConflict,
  type Plan,
  type PlanAction,
  type PlanRow,
  SENDS,
  type StoredEntry,
  type SubmissionInput,
} from '../model/submission-types';
import { BY_PERSON } from '../model/cancel-asked';
import { CANCELLED, decide, PRUNED, SOURCE_REPEATED } from '../model/converge';
import { problem, type SubmissionProblem } from '../model/errors';
import { addedInSheets, type Extent, leavesPruned, PRUNABLE, rowsOfSheet, sheetOf } from './correction';
import { correctionsOf } from '../runs/corrections';
import { Forecast } from './forecast';
import { leftOutProblem, LeftOutRows } from './left-out-rows';
import { lostCorrections } from './merged-edits';
import { isUnsent, RenamedKeys } from './renamed-keys';
import { RenamedCampaign } from './renamed-campaign';
import { channelTextId } from '../model/labels';
import { findPending, pendingSources, type PendingSources } from './pending-sources';
import { takenByTrial } from './repeated-trial';
import { type Db, PAGE_ROWS, yieldToEventLoop } from '../engine/store';
import { type Entry } from '../model/types';
import { findElsewhere, findRows, type FoundRow, meantEntry, rowIdsAfter, rowsOfIds } from '../rows/row-lookup';
import { type RowState } from '../model/states';
import { type ReplacedRows } from './replaced-rows';
import { commandText } from '../../wording/shell';

type PlanOptions = Omit<SubmissionInput, 'entries'>;

/**
 * Works out what a submit would do: it gets the manifest's entries page by page, and is then asked for the rows that
 * are gone. Only reads.
 */
export class Planner {
  private readonly rows: PlanRow[] = [];
  private readonly problems: SubmissionProblem[] = [];
  private readonly actions = new Map<PlanAction, number>();
  private readonly forecast = new Forecast();
  private readonly matched = new Set<number>();
  /** By channel and key: the line, negative if the entry has no key of its own and was recognised by its source. */
  private readonly identities = new Map<string, Map<string, number>>();
  private readonly renamed = new RenamedKeys();
  private readonly elsewhere = new RenamedCampaign();
  /** By line: the keys of rows that a person cancelled and that this would send. */
  private readonly revived = new Map<number, string>();
  private readonly channelIds = new Map<string, string>();
  private readonly keys: ReadonlySet<string> | null;
  private readonly leavePruned: boolean;
  /** It is no file that corrects rows itself. */
  private readonly keepsCorrections: boolean;
  private selectable: number | null = null;
  /** Read before the first page of rows: what is imported meanwhile is then found in one of the two. */
  private pending: PendingSources | null = null;
  /** Keys of rows that were pruned, and stay so. */
  private readonly stayPruned: string[] = [];
  /** Keys of rows that failed or were rejected, and that the manifest has unchanged. */
  private readonly notRetried: string[] = [];
  /** Entries that the campaign has no rows for. */
  private unknown = 0;
  /** Rows of the campaign that no entry names. */
  private missing = 0;

  constructor(
    private readonly db: Db,
    private readonly options: PlanOptions,
    /** A submit doesn't need the plan's rows, nor when they are sent. */
    private readonly wanted: 'rows' | 'problems' = 'rows',
  ) {
    this.keys = options.select?.keys ? new Set(options.select.keys) : null;
    this.leavePruned = leavesPruned(options);
    this.keepsCorrections = options.acceptDifferences !== true && sheetOf(options.snapshot.text) === null;
  }

  async feed(page: readonly StoredEntry[]): Promise<void> {
    const { campaign, snapshot } = this.options;
    const once = snapshot.settings.repeat !== 'allow';
    if (once) this.pending ??= await pendingSources(this.db, campaign);
    const rows = await findRows(this.db, campaign, page);
    this.selectable ??= await this.toTake();
    const elsewhere = once ? await findElsewhere(this.db, campaign, page) : [];
    for (const [at, stored] of page.entries()) {
      if (this.repeatsIdentity(stored)) continue;
      const found = rows[at] ?? null;
      this.elsewhere.noteRow(stored.entry);
      if (!found) this.unknown++;
      const entry = meantEntry(stored, found);
      const pending = this.pending ? findPending(this.pending, entry) : null;
      const other = elsewhere[at] ?? pending;
      const decision = this.decide(found, entry, other?.place ?? null);
      if (found) {
        this.matched.add(found.id);
        this.renamed.noteMoved(found, entry);
      }
      const channel = this.channelOf(entry);
      this.renamed.noteCandidate(entry, channel, found, { action: decision.action, at: this.rows.length });
      if (stored.conflicts && this.options.acceptDifferences !== true)
        this.problems.push(...stored.conflicts.map((conflict) => changedSince(campaign, entry, conflict)));
      if (found && this.keepsCorrections && CHANGES.includes(decision.action))
        this.problems.push(...lostCorrections(entry.values, found).map((lost) => correctionLost(entry, lost)));
      if (decision.problem) {
        this.problems.push(decision.problem);
        if (other !== null && decision.problem.code === SOURCE_REPEATED)
          this.elsewhere.note(other.campaign, decision.problem);
      } else if (decision.action === 'leave' && isRetryable(found) && !entry.skip) this.notRetried.push(entry.key);
      else if (this.leavePruned && decision.action === 'leave' && found?.code === PRUNED && !entry.skip)
        this.stayPruned.push(entry.key);
      this.note(entry, found, channel, { ...decision, corrected: entry !== stored.entry || stored.merged === true });
    }
  }

  /**
   * The whole plan. `earlierVersion`: this snapshot was accepted before and another one since. With `now` (ms),
   * includes when each channel's rows would be sent.
   */
  async finish(earlierVersion: boolean, now?: number): Promise<Plan> {
    if (earlierVersion && !this.options.forceOld) {
      this.problems.push(
        problem({ line: null, key: null }, 'error', 'old-version', {
          message: `${this.options.snapshot.path} is an earlier version of this campaign’s manifest; a newer one was accepted since`,
          hint: 'submit the newer file, or accept this one with --force-old',
        }),
      );
    }
    const { vanished = 'refuse', snapshot } = this.options;
    this.findRenamedCampaign();
    const sheet = await rowsOfSheet(this.db, this.options);
    const partial = sheet === 'rejected' && vanished === 'prune';
    if (partial) this.problems.push(partialProblem(snapshot.path));
    const pruned = await this.findVanished(sheet !== null && vanished === 'refuse' ? 'keep' : vanished);
    if (pruned.length > 0 && !partial) this.problems.push(prunedProblem(pruned));
    if (this.notRetried.length > 0) this.problems.push(notRetriedProblem(this.options.campaign, this.notRetried));
    if (this.stayPruned.length > 0) this.problems.push(stayPrunedProblem(this.stayPruned));
    if ((this.options.cancelled ?? 'refuse') === 'refuse' && this.revived.size > 0)
      this.problems.push(cancelledProblem(this.revived));
    const ahead = now === undefined ? null : await this.forecast.read(this.db, snapshot.settings, now);
    this.problems.push(...(ahead?.problems ?? []));
    return {
      actions: Object.fromEntries(this.actions),
      rows: this.rows,
      problems: this.problems,
      channels: ahead?.channels ?? [],
      kept: ahead?.kept ?? null,
    };
  }

  /** Once finished: which of the campaign's rows the entries are. */
  get extent(): Extent {
    if (this.unknown > 0 || this.matched.size === 0) return 'other';
    return this.missing > 0 ? 'part' : 'all';
  }

  /** Once finished: rows that must still be unsent when the submission is accepted, and may not be sent from then on. */
  get replaced(): ReplacedRows {
    return this.renamed.replaced;
  }

  private decide(found: FoundRow | null, entry: Entry, elsewhere: string | null): Decision {
    const { format, settings } = this.options.snapshot;
    const { repeat } = settings;
    const { acceptDifferences = false, recreate = false, cancelled } = this.options;
    const leaveCancelled = cancelled === 'leave';
    const { leavePruned } = this;
    return decide(found, entry, {
      acceptDifferences,
      recreate,
      leaveCancelled,
      leavePruned,
      repeat,
      elsewhere,
      format,
    });
  }

  private channelOf({ account, values }: Entry): string {
    const name = JSON.stringify([account, values.profileId, values.profileName, values.platform]);
    const known = this.channelIds.get(name);
    if (known !== undefined) return known;
    const channel = channelTextId({ ...values, account });
    this.channelIds.set(name, channel);
    return channel;
  }

  private repeatsIdentity({ entry, recognized: isRecognized }: StoredEntry): boolean {
    const recognized = isRecognized === true;
    const channel = JSON.stringify([entry.account, entry.values.profileId, entry.values.platform]);
    let lines = this.identities.get(channel);
    if (lines === undefined) this.identities.set(channel, (lines = new Map<string, number>()));
    const first = lines.get(entry.key);
    if (first === undefined) {
      lines.set(entry.key, recognized ? -entry.line : entry.line);
      return false;
    }
    this.problems.push(
      recognized || first < 0
        ? sameRow(entry, { other: Math.abs(first), bySource: recognized ? entry.line : -first })
        : problem(entry, 'error', 'key-repeated', {
            message: `key ${entry.key} is in line ${first} already, for the same profile and platform`,
            hint: 'give one of the two rows a key of its own',
          }),
    );
    return true;
  }

  private note(
    entry: Entry,
    found: FoundRow | null,
    channel: string,
    { action, changes, corrected }: Decision & { corrected: boolean },
  ): void {
    const todo = SENDS.includes(action);
    const selected = !todo || found?.held === true || this.takes(entry);
    const revives =
      (todo && selected && found !== null && isCancelled(found)) ||
      (found?.state === 'creating' && found.cancelAsked === BY_PERSON && !entry.skip);
    if (revives) this.revived.set(entry.line, entry.key);
    this.count(action);
    if (this.wanted === 'rows') {
      this.rows.push({
        position: entry.position,
        line: entry.line,
        key: entry.key,
        channel,
        action,
        selected,
        state: found?.state ?? null,
        run: found?.run ?? null,
        ...(changes === undefined ? {} : { changes }),
        ...(corrected ? { values: entry.values } : {}),
      });
    }
    if (todo && selected && this.wanted === 'rows') this.forecast.add(channel, entry);
  }

  private takes(entry: Entry): boolean {
    if (this.keys && !this.keys.has(entry.key)) return false;
    const left = this.selectable ?? Infinity;
    if (left <= 0) return false;
    this.selectable = left - 1;
    return true;
  }

  /** How many rows a trial may still take. */
  private async toTake(): Promise<number> {
    const { campaign, snapshot, select, firing } = this.options;
    if (select?.limit === undefined) return Infinity;
    if (firing !== undefined) return select.limit;
    return select.limit - (await takenByTrial(this.db, { campaign, hash: snapshot.hash, select }));
  }

  private count(action: PlanAction): void {
    this.actions.set(action, (this.actions.get(action) ?? 0) + 1);
  }

  /** A campaign of which the ledger has no row may be another one under a new name. */
  private findRenamedCampaign(): void {
    const suspected = this.matched.size > 0 ? null : this.elsewhere.suspected(this.options.snapshot.format);
    if (suspected === null) return;
    const { problem, instead } = suspected;
    const others = this.problems.filter((one) => !instead.has(one));
    this.problems.splice(0, this.problems.length, problem, ...others);
  }

  /** Returns the rows that it prunes. */
  private async findVanished(vanished: 'refuse' | 'prune' | 'keep'): Promise<readonly FoundRow[]> {
    const { campaign, rekey = false } = this.options;
    const leftOut = new LeftOutRows(this.options.leftOut ?? []);
    const corrected = await this.correctedSince();
    const pending: FoundRow[] = [];
    const pruned: FoundRow[] = [];
    const beside: string[] = [];
    let added: ReadonlySet<number> | null = null;
    for (let after = 0; ;) {
      const ids = await rowIdsAfter(this.db, campaign, after, ID_PAGE);
      after = ids.at(-1) ?? after;
      const gone = ids.filter((id) => !this.matched.has(id));
      this.missing += gone.length;
      if (gone.length > 0) added ??= await addedInSheets(this.db, campaign);
      for (const row of await this.rowsOf(gone)) {
        const unsent = isUnsent(row.state);
        const present = leftOut.of(row);
        // Without a run nothing sends it. A sheet that corrected it since counts, as long as the manifest is the same.
        const sends = row.runId !== null && !corrected.has(row.snapshotId);
        if (present && unsent && (sends || vanished === 'prune')) {
          this.problems.push(leftOutProblem(campaign, present, row));
          this.count('refuse');
          if (this.wanted === 'rows') this.rows.push({ ...planned(row), line: present.line, action: 'refuse' });
          continue;
        }
        if (unsent && !present) pending.push(row);
        if (this.options.cancelled === 'send' && added?.has(row.id) === true && isCancelled(row)) beside.push(row.key);
        const prunes = vanished === 'prune' && PRUNABLE.includes(row.state) && added?.has(row.id) !== true;
        if (prunes) pruned.push(row);
        this.renamed.noteVanished(row, unsent && prunes);
        const action = prunes ? 'prune' : 'keep';
        this.count(action);
        if (this.wanted !== 'rows') continue;
        this.rows.push({ ...planned(row), action, values: row.values });
        if (action === 'keep' && row.held) this.forecast.add(row.channel, row, { kept: true });
      }
      if (ids.length < ID_PAGE) break;
      await yieldToEventLoop();
    }
    this.takeRenamed(rekey);
    const unreadable = leftOut.unreadable(
      campaign,
      pending.filter(({ snapshotId }) => !corrected.has(snapshotId)),
    );
    if (unreadable) this.problems.push(unreadable);
    else if (vanished === 'refuse') {
      const gone = pending.filter(({ id }) => added?.has(id) !== true);
      if (gone.length > 0) this.problems.push(vanishedProblem(gone));
    }
    if (beside.length > 0) this.problems.push(addedCancelledProblem(campaign, beside));
    return pruned;
  }

  /** The sheets that have corrected this very manifest, by their snapshots. */
  private async correctedSince(): Promise<ReadonlySet<number>> {
    const { campaign, snapshot, leftOut = [] } = this.options;
    if (leftOut.length === 0) return NONE;
    const { fileHash, sheets } = await correctionsOf(this.db, campaign);
    return fileHash === snapshot.fileHash ? sheets : NONE;
  }

  private async rowsOf(ids: readonly number[]): Promise<FoundRow[]> {
    const rows: FoundRow[] = [];
    for (let from = 0; from < ids.length; from += PAGE_ROWS) {
      rows.push(...(await rowsOfIds(this.db, ids.slice(from, from + PAGE_ROWS))));
      await yieldToEventLoop();
    }
    return rows;
  }

  /** `accepted`: a row may have a video that another one has, or had; an unsent one still makes way for it. */
  private takeRenamed(accepted: boolean): void {
    for (const { line, action, at, problem } of this.renamed.suspects()) {
      if (accepted) continue;
      this.problems.push(problem);
      this.revived.delete(line);
      const row = this.rows[at];
      if (row) this.rows[at] = { ...row, action: 'refuse' };
      this.actions.set(action, (this.actions.get(action) ?? 1) - 1);
      this.count('refuse');
    }
  }
}

const NONE: ReadonlySet<number> = new Set();

/** Actions that give a row the values of its manifest. */
const CHANGES: readonly PlanAction[] = ['update', 'attempt', 'recreate', 'patch'];

/** Ids alone are cheap to read. */
const ID_PAGE = 5000;

function planned(row: {
  line: number;
  key: string;
  channel: string;
  state: RowState;
  run: string | null;
}): Omit<PlanRow, 'action'> {
  const { key, channel, state, run } = row;
  return { position: null, line: null, key, channel, selected: true, state, run };
}

/** `bySource`: of the two lines, the one that was recognised by its source. */
function sameRow(entry: Entry, { other, bySource }: { other: number; bySource: number }): SubmissionProblem {
  const byKey = bySource === other ? entry.line : other;
  return problem(entry, 'error', 'key-repeated', {
    message: `lines ${other} and ${entry.line} are the same row: line ${byKey} has its key ${entry.key}, and line ${bySource} has the source that it was given since`,
    hint: `remove one of the two lines; if they are two videos, give line ${bySource} a key of its own`,
  });
}

function cancelledProblem(revived: ReadonlyMap<number, string>): SubmissionProblem {
  const [first = null] = revived.values();
  const rows = revived.size === 1 ? '1 row of the manifest was' : `${revived.size} rows of the manifest were`;
  return problem({ line: null, key: first }, 'error', 'rows-cancelled', {
    message: `${rows} cancelled by a person: ${listed([...revived.values()])}`,
    hint: 'with --uncancel they are sent after all; mark them skip in the manifest to leave them cancelled',
  });
}

/** By a person, before it was sent. */
function isCancelled({ state, code }: Pick<FoundRow, 'state' | 'code'>): boolean {
  return state === 'cancelled' && code === CANCELLED;
}

function stayPrunedProblem(keys: readonly string[]): SubmissionProblem {
  const one = keys.length === 1;
  return problem({ line: null, key: keys[0] ?? null }, 'warning', 'rows-cancelled', {
    message: `${one ? '1 row of this file was pruned and stays' : `${keys.length} rows of this file were pruned and stay`} cancelled: ${listed(keys)}`,
    hint: `with --uncancel ${one ? 'it is' : 'they are'} sent after all; so is a row that is edited`,
  });
}

function addedCancelledProblem(campaign: string, keys: readonly string[]): SubmissionProblem {
  const one = keys.length === 1;
  const rows = one
    ? '1 row that was added in a correction stays'
    : `${keys.length} rows that were added in a correction stay`;
  const file = 'cancelled.csv';
  const results = commandText(['results', campaign, '--state', 'cancelled', '-o', 'csv', '--out', file]);
  return problem({ line: null, key: keys[0] ?? null }, 'warning', 'rows-cancelled', {
    message: `${rows} cancelled, since this file doesn’t have ${one ? 'it' : 'them'}: ${listed(keys)}`,
    hint: `to send ${one ? 'it' : 'them'} too, submit a file with ${one ? 'it' : 'them'}: \`${results}\`, then \`${commandText(['submit', file, '--uncancel'])}\``,
  });
}

function changedSince(campaign: string, entry: Entry, { field, file, row }: EditConflict): SubmissionProblem {
  return problem(entry, 'error', 'changed-since', {
    message: `key ${entry.key} has another ${field} since this file was written: this file has ${quoted(file)}, the row ${quoted(row)}`,
    hint: `write the one that is right into this file, or make a new one with \`${commandText(['results', campaign])}\`; --accept-differences accepts what this file has`,
  });
}

function correctionLost(entry: Entry, { field, file, row }: EditConflict): SubmissionProblem {
  return problem(entry, 'error', 'correction-lost', {
    message: `${field} of key ${entry.key} was corrected to ${quoted(row)}, but the manifest, which has other new values of the row, still has ${quoted(file)}`,
    hint: 'write the corrected value into the manifest too; --accept-differences accepts what the manifest has',
  });
}

function quoted(value: string | null): string {
  return value === null ? 'none' : `“${value}”`;
}

function isRetryable(found: FoundRow | null): boolean {
  return found?.state === 'failed' || found?.state === 'rejected';
}

function notRetriedProblem(campaign: string, keys: readonly string[]): SubmissionProblem {
  const rows =
    keys.length === 1
      ? '1 row that failed or was rejected is unchanged, and is'
      : `${keys.length} rows that failed or were rejected are unchanged, and are`;
  return problem({ line: null, key: keys[0] ?? null }, 'warning', 'not-retried', {
    message: `${rows} not tried again: ${listed(keys)}`,
    hint: `correct ${keys.length === 1 ? 'it' : 'them'}, or use \`${commandText(['retry', campaign])}\` to try again with the same values`,
  });
}

function partialProblem(path: string): SubmissionProblem {
  return problem({ line: null, key: null }, 'error', 'partial-sheet', {
    message: `${path} has only rows that were left out of the campaign’s manifest, so --prune would cancel all others`,
    hint: 'submit it without --prune; to cancel rows, submit the manifest without them and with --prune',
  });
}

function vanishedProblem(rows: readonly { key: string }[]): SubmissionProblem {
  const keys = rows.map(({ key }) => key);
  return problem({ line: null, key: keys[0] ?? null }, 'error', 'rows-vanished', {
    message: `${rows.length} row${rows.length === 1 ? '' : 's'} of the campaign not sent yet ${rows.length === 1 ? 'is' : 'are'} no longer in the manifest: ${listed(keys)}`,
    hint: 'with --keep they stay as they are and are still sent; with --prune they are cancelled',
  });
}

/** What `--prune` cancels, so that it can be seen before it is done. */
function prunedProblem(rows: readonly Pick<FoundRow, 'key' | 'values'>[]): SubmissionProblem {
  const names = rows.map(({ key, values: { title } }) => (title === null || title === '' ? key : `${key} (${title})`));
  const [what, are] = rows.length === 1 ? ['1 row', 'is'] : [`${rows.length} rows`, 'are'];
  return problem({ line: null, key: rows[0]?.key ?? null }, 'warning', 'rows-vanished', {
    message: `${what} of the campaign ${are} no longer in the manifest, and ${are} cancelled: ${listed(names)}`,
    hint: 'to keep them, add them to the manifest again, or submit it with --keep instead of --prune',
  });
}

/** The first of some keys, and how many more there are. */
function listed(keys: readonly string[]): string {
  const shown = keys.slice(0, 5).join(', ');
  return keys.length > 5 ? `${shown} and ${keys.length - 5} more` : shown;
}
