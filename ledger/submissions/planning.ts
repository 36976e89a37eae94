import { type Decision, type Plan, type PlanAction, type PlanRow, type StoredEntry, type SubmissionInput } from '../model/submission-types';
import { CANCELLED, countsAsDone, decide, differences } from '../model/converge';
import { problem, type SubmissionProblem } from '../model/errors';
import { Forecast } from './forecast';
import { channelTextId } from '../model/labels';
import { findPending, pendingSources, type PendingSources } from './pending-sources';
import { takenByTrial } from './repeated-trial';
import { sourceIdentity } from '../model/source';
import { type Db, PAGE_ROWS, yieldToEventLoop } from '../engine/store';
import { type Entry, type RowValues } from '../model/types';
import { findElsewhere, findRows, type FoundRow, meantEntry, rowIdsAfter, rowsOfIds } from '../rows/row-lookup';
import { type RowState } from '../model/states';
import { type ReplacedRows } from './replaced-rows';

type PlanOptions = Omit<SubmissionInput, 'entries'>;

/** What of a row can tell that it is the video of another one. */
type TraitValues = Pick<RowValues, 'source' | 'title' | 'fileSize' | 'fileModifiedMs'>;

/** A row that would get a publication, with only what the check for a renamed key needs. */
interface Candidate extends TraitValues {
  line: number;
  key: string;
  channel: string;
  action: PlanAction;
  /** Its place in the plan. */
  at: number;
}

/** A row that may go out, or has gone out, with a video that the manifest has under another key. */
interface Holder {
  key: string;
  /** The manifest has its key still, with another source. */
  kept: boolean;
}

/**
 * Works out what a submit would do: fed with the manifest's entries page by page, then asked for the rows that vanished.
 * Only reads.
 */
export class Planner {
  private readonly rows: PlanRow[] = [];
  private readonly problems: SubmissionProblem[] = [];
  private readonly actions = new Map<PlanAction, number>();
  private readonly forecast = new Forecast();
  private readonly matched = new Set<number>();
  /** By channel and key: the line. */
  private readonly identities = new Map<string, Map<string, number>>();
  private readonly candidates: Candidate[] = [];
  /** By trait: rows that went out, or may have, and unsent ones; of the latter, those that a candidate replaces. */
  private readonly possiblySent = new Map<string, Holder>();
  private readonly unsent = new Map<string, { id: number; kept: boolean }[]>();
  private readonly replacedRows = new Map<number, { kept: boolean }>();
  /** By line: the keys of rows that a person cancelled, and that this would send. */
  private readonly revived = new Map<number, string>();
  private readonly channelIds = new Map<string, string>();
  private readonly keys: ReadonlySet<string> | null;
  private selectable: number | null = null;
  /** Read before the first page of rows: what is imported meanwhile is then found in one of the two. */
  private pending: PendingSources | null = null;
  /** Entries that the campaign has no rows for. */
  private unknown = 0;
  /** Rows of the campaign that no entry names. */
  private missing = 0;

  constructor(
    private readonly db: Db,
    private readonly options: PlanOptions,
    /** `problems` leaves the plan's rows away: a submit has no use for them. */
    private readonly wanted: 'rows' | 'problems' = 'rows',
  ) {
    this.keys = options.select?.keys ? new Set(options.select.keys) : null;
  }

  async feed(page: readonly StoredEntry[]): Promise<void> {
    const { campaign, snapshot } = this.options;
    const once = snapshot.settings.repeat !== 'allow';
    if (once) this.pending ??= await pendingSources(this.db, campaign);
    const rows = await findRows(this.db, campaign, page);
    this.selectable ??= await this.toTake();
    const elsewhere = once ? await findElsewhere(this.db, campaign, page) : [];
    for (const [at, stored] of page.entries()) {
      if (this.repeatsIdentity(stored.entry)) continue;
      const found = rows[at] ?? null;
      if (!found) this.unknown++;
      const entry = meantEntry(stored, found);
      const pending = this.pending ? findPending(this.pending, entry) : null;
      const decision = this.decide(found, entry, elsewhere[at] ?? pending);
      if (found) {
        this.matched.add(found.id);
        this.noteMoved(found, entry);
      }
      const channel = this.channelOf(entry);
      this.noteCandidate(entry, channel, found, decision.action);
      if (decision.problem) this.problems.push(decision.problem);
      this.note(entry, found, channel, decision);
    }
  }

  /**
   * The whole plan; `earlierVersion` says that this snapshot was accepted before and another one since. With `now` (ms) it
   * says when each channel's rows would go out.
   */
  async finish(earlierVersion: boolean, now?: number): Promise<Plan> {
    if (earlierVersion && !this.options.forceOld) {
      this.problems.push(
        problem({ line: null, key: null }, 'error', 'old-version', {
          message: `${this.options.snapshot.path} is an earlier version of this campaign's manifest; a newer one was accepted since`,
          hint: 'submit the newer file, or accept this one with --force-old',
        }),
      );
    }
    await this.findVanished();
    if ((this.options.cancelled ?? 'refuse') === 'refuse' && this.revived.size > 0)
      this.problems.push(cancelledProblem(this.revived));
    const { settings } = this.options.snapshot;
    const ahead = now === undefined ? null : await this.forecast.read(this.db, settings, now);
    this.problems.push(...(ahead?.problems ?? []));
    return {
      actions: Object.fromEntries(this.actions),
      rows: this.rows,
      problems: this.problems,
      channels: ahead?.channels ?? [],
    };
  }

  /** Once finished: which of the campaign's rows the entries are. `all` and `part`: no entry is a new row. */
  get extent(): 'all' | 'part' | 'other' {
    if (this.unknown > 0 || this.matched.size === 0) return 'other';
    return this.missing > 0 ? 'part' : 'all';
  }

  /** Once finished: what must still be unsent when the submission is accepted, and may not be sent from then on. */
  get replaced(): ReplacedRows {
    const ids = (kept: boolean) => [...this.replacedRows].filter(([, row]) => row.kept === kept).map(([id]) => id);
    return { pruned: ids(false), moved: ids(true) };
  }

  private decide(found: FoundRow | null, entry: Entry, elsewhere: string | null): Decision {
    const { format, settings } = this.options.snapshot;
    const { repeat } = settings;
    const { acceptDifferences = false, recreate = false, cancelled } = this.options;
    const leaveCancelled = cancelled === 'leave';
    return decide(found, entry, { acceptDifferences, recreate, leaveCancelled, repeat, elsewhere, format });
  }

  private channelOf({ account, values }: Entry): string {
    const name = JSON.stringify([account, values.profileId, values.profileName, values.platform]);
    const known = this.channelIds.get(name);
    if (known !== undefined) return known;
    const channel = channelTextId({ ...values, account });
    this.channelIds.set(name, channel);
    return channel;
  }

  /**
   * A row that would get a publication may be one that went out under another key: a new row, but also one that was
   * cancelled, pruned or rejected under this key before it went out under the other one.
   */
  private noteCandidate(entry: Entry, channel: string, found: FoundRow | null, action: PlanAction): void {
    if (this.options.rekey === true || !GETS_PUBLICATION.includes(action)) return;
    // An unsent row that keeps its source was compared when it was accepted.
    if (action === 'update' && found?.values.source === entry.values.source) return;
    const { line, key, values } = entry;
    const { source, title, fileSize, fileModifiedMs } = values;
    const file = fileSize === undefined || fileModifiedMs === undefined ? {} : { fileSize, fileModifiedMs };
    this.candidates.push({ line, key, channel, source, title, ...file, action, at: this.rows.length });
  }

  /** A row that gets another source gives up the one it has: another row may take that only if it was not sent. */
  private noteMoved(found: FoundRow, entry: Entry): void {
    if (!differences(found.values, entry.values).source) return;
    const own = traits(found.channel, { ...found.values, title: null });
    if (isUnsent(found.state)) this.noteUnsent(own, { id: found.id, kept: true });
    else if (wasSent(found)) for (const trait of own) this.possiblySent.set(trait, { key: found.key, kept: true });
  }

  private noteUnsent(own: readonly string[], row: { id: number; kept: boolean }): void {
    for (const trait of own) {
      const rows = this.unsent.get(trait);
      if (rows) rows.push(row);
      else this.unsent.set(trait, [row]);
    }
  }

  private repeatsIdentity(entry: Entry): boolean {
    const channel = JSON.stringify([entry.account, entry.values.profileId, entry.values.platform]);
    let lines = this.identities.get(channel);
    if (lines === undefined) this.identities.set(channel, (lines = new Map<string, number>()));
    const first = lines.get(entry.key);
    if (first === undefined) {
      lines.set(entry.key, entry.line);
      return false;
    }
    this.problems.push(
      problem(entry, 'error', 'key-repeated', {
        message: `key ${entry.key} is in line ${first} already, for the same profile and platform`,
        hint: 'give one of the two rows a key of its own',
      }),
    );
    return true;
  }

  private note(entry: Entry, found: FoundRow | null, channel: string, { action, changes }: Decision): void {
    const todo = SENDS.includes(action);
    const selected = !todo || found?.held === true || this.takes(entry);
    if (todo && selected && found?.state === 'cancelled' && found.code === CANCELLED)
      this.revived.set(entry.line, entry.key);
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
      });
    }
    // Nobody reads a submit's forecast.
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

  private async findVanished(): Promise<void> {
    const { campaign, vanished = 'refuse', rekey = false } = this.options;
    const pending: { line: number; key: string }[] = [];
    for (let after = 0; ;) {
      const ids = await rowIdsAfter(this.db, campaign, after, ID_PAGE);
      after = ids.at(-1) ?? after;
      const gone = ids.filter((id) => !this.matched.has(id));
      this.missing += gone.length;
      for (const row of await this.rowsOf(gone)) {
        const unsent = isUnsent(row.state);
        const prunable = unsent || row.state === 'rejected';
        if (unsent) pending.push(row);
        const own = traits(row.channel, row.values);
        if (unsent && vanished === 'prune') this.noteUnsent(own, { id: row.id, kept: false });
        else if (wasSent(row)) for (const trait of own) this.possiblySent.set(trait, { key: row.key, kept: false });
        const action = vanished === 'prune' && prunable ? 'prune' : 'keep';
        this.count(action);
        if (this.wanted === 'rows') this.rows.push({ ...planned(row), action });
      }
      if (ids.length < ID_PAGE) break;
      await yieldToEventLoop();
    }
    if (!rekey) this.suspectRekeys();
    if (vanished === 'refuse' && pending.length > 0) this.problems.push(vanishedProblem(pending));
  }

  private async rowsOf(ids: readonly number[]): Promise<FoundRow[]> {
    const rows: FoundRow[] = [];
    for (let from = 0; from < ids.length; from += PAGE_ROWS) {
      rows.push(...(await rowsOfIds(this.db, ids.slice(from, from + PAGE_ROWS))));
      await yieldToEventLoop();
    }
    return rows;
  }

  private suspectRekeys(): void {
    if (this.possiblySent.size + this.unsent.size === 0) return;
    for (const candidate of this.candidates) {
      const { line, key, action, at } = candidate;
      const own = traits(candidate.channel, candidate);
      for (const trait of own) {
        for (const { id, kept } of this.unsent.get(trait) ?? []) this.replacedRows.set(id, { kept });
        // Once is enough: thousands of rows may have the same title.
        this.unsent.delete(trait);
      }
      const old = own.map((trait) => this.possiblySent.get(trait)).find((one) => one !== undefined);
      if (old === undefined || (old.kept && old.key === key)) continue;
      const what = action === 'create' ? 'is new' : 'was not published';
      const holder = old.kept
        ? `key ${old.key} was, or is being, sent with the same source or file in this channel, and has another one in the manifest now`
        : `key ${old.key}, which the manifest no longer has, has the same source, file or title in this channel`;
      this.problems.push(
        problem({ line, key }, 'error', 'rekey-suspected', {
          message: `key ${key} ${what}, but ${holder}`,
          hint: `if it is the same video, keep the key ${old.key}; if it is another one, use --rekey`,
        }),
      );
      this.revived.delete(line);
      const row = this.rows[at];
      if (row) this.rows[at] = { ...row, action: 'refuse' };
      this.actions.set(action, (this.actions.get(action) ?? 1) - 1);
      this.count('refuse');
    }
  }
}

function isUnsent(state: RowState): boolean {
  return state === 'planned' || state === 'waiting';
}

/** It went out, or may have; a row not sent yet goes out as well. */
function wasSent({ state, sent }: Pick<FoundRow, 'state' | 'sent'>): boolean {
  return countsAsDone(state) || (state === 'cancelled' && sent);
}

/** Ids alone are cheap to read. */
const ID_PAGE = 5000;

/** Actions after which a row is to be sent. */
export const SENDS: readonly PlanAction[] = ['create', 'update', 'continue', 'attempt', 'recreate'];

/** Actions that may give a row a publication that it would not have had otherwise. */
const GETS_PUBLICATION: readonly PlanAction[] = ['create', 'update', 'attempt', 'recreate'];

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

function traits(channel: string, values: TraitValues): string[] {
  const found: string[] = [];
  if (values.source !== null) found.push(`${channel} source ${sourceIdentity(values.source)}`);
  if (values.title !== null && values.title !== '') found.push(`${channel} title ${values.title}`);
  // A file that is renamed together with its key keeps its size and its time.
  const { fileSize, fileModifiedMs } = values;
  if (fileSize !== undefined && fileModifiedMs !== undefined) {
    found.push(`${channel} file ${String(fileSize)} ${String(fileModifiedMs)}`);
  }
  return found;
}

function cancelledProblem(revived: ReadonlyMap<number, string>): SubmissionProblem {
  const [first = null] = revived.values();
  const shown = [...revived.values()].slice(0, 5).join(', ');
  const more = revived.size > 5 ? ` and ${revived.size - 5} more` : '';
  const rows = revived.size === 1 ? '1 row of the manifest was' : `${revived.size} rows of the manifest were`;
  return problem({ line: null, key: first }, 'error', 'rows-cancelled', {
    message: `${rows} cancelled, and would be sent now: ${shown}${more}`,
    hint: 'with --yes they are sent after all; mark them skip in the manifest to leave them cancelled',
  });
}

function vanishedProblem(rows: readonly { key: string }[]): SubmissionProblem {
  const shown = rows.slice(0, 5).map((row) => row.key);
  const more = rows.length > shown.length ? ` and ${rows.length - shown.length} more` : '';
  return problem({ line: null, key: shown[0] ?? null }, 'error', 'rows-vanished', {
    message: `${rows.length} row${rows.length === 1 ? '' : 's'} of the campaign not sent yet ${rows.length === 1 ? 'is' : 'are'} no longer in the manifest: ${shown.join(', ')}${more}`,
    hint: 'with --keep they stay as they are and are still sent; with --prune they are cancelled',
  });
}
