import { countsAsDone, decide, type Decision, type Plan, type PlanAction, type PlanRow, problem } from './converge';
import { type SubmissionProblem } from './errors';
import { Forecast } from './forecast';
import { channelTextId, rowLabel } from './labels';
import { sourceIdentity } from './source';
import { breathe, type Db, PAGE_ROWS } from './store';
import { type Entry, type SubmissionInput } from './types';
import { createRowLookup, type FoundRow, type RowLookup } from './row-lookup';
import { type RowState } from './states';

type PlanOptions = Omit<SubmissionInput, 'entries'>;

interface NewRow {
  entry: Entry;
  channel: string;
  at: number;
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
  private readonly identities = new Map<string, number>();
  private readonly created: NewRow[] = [];
  private readonly lookup: RowLookup;
  private selectable: number;

  constructor(
    private readonly db: Db,
    private readonly options: PlanOptions,
  ) {
    this.lookup = createRowLookup();
    this.selectable = options.select?.limit ?? Infinity;
  }

  async feed(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (this.repeatsIdentity(entry)) continue;
      const found = await this.lookup.find(this.db, this.options.campaign, entry);
      const decision = await this.decide(found, entry);
      if (found) this.matched.add(found.id);
      const channel = channelTextId({ ...entry.values, account: entry.account });
      if (decision.action === 'create') this.created.push({ entry, channel, at: this.rows.length });
      if (decision.problem) this.problems.push(decision.problem);
      this.note(entry, found, channel, decision.action);
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
          hint: 'submit the newer file, or go back on purpose with --force-old',
        }),
      );
    }
    await this.lookForVanished();
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

  private async decide(found: FoundRow | null, entry: Entry): Promise<Decision> {
    const { repeat } = this.options.snapshot.settings;
    return decide(found, entry, {
      acceptDifferences: this.options.acceptDifferences === true,
      repeat,
      elsewhere: repeat === 'allow' ? null : await this.lookup.elsewhere(this.db, this.options.campaign, entry),
    });
  }

  private repeatsIdentity(entry: Entry): boolean {
    const identity = JSON.stringify([entry.account, entry.values.profileId, entry.values.platform, entry.key]);
    const first = this.identities.get(identity);
    if (first === undefined) {
      this.identities.set(identity, entry.line);
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

  private note(entry: Entry, found: FoundRow | null, channel: string, action: PlanAction): void {
    const todo = SENDS.includes(action);
    const selected = !todo || found?.held === true || this.takes(entry);
    this.count(action);
    this.rows.push({
      position: entry.position,
      line: entry.line,
      key: entry.key,
      channel,
      label: rowLabel(entry),
      action,
      selected,
      state: found?.state ?? null,
      run: found?.run ?? null,
    });
    if (todo && selected) this.forecast.add(channel, entry);
  }

  private takes(entry: Entry): boolean {
    const keys = this.options.select?.keys;
    if (keys && !keys.includes(entry.key)) return false;
    if (this.selectable <= 0) return false;
    this.selectable--;
    return true;
  }

  private count(action: PlanAction): void {
    this.actions.set(action, (this.actions.get(action) ?? 0) + 1);
  }

  private async lookForVanished(): Promise<void> {
    const { campaign, vanished = 'refuse', rekey = false } = this.options;
    const pending: { line: number; key: string }[] = [];
    const suspects = new Map<string, string>();
    for (let after = 0; ;) {
      const page = await this.lookup.after(this.db, campaign, after, PAGE_ROWS);
      for (const row of page) {
        after = row.id;
        if (this.matched.has(row.id)) continue;
        const unsent = row.state === 'planned' || row.state === 'waiting';
        const prunable = unsent || row.state === 'rejected';
        if (unsent) pending.push(row);
        if (countsAsDone(row.state) && !(unsent && vanished === 'prune')) {
          for (const trait of traits(row.channel, row.values)) suspects.set(trait, row.key);
        }
        const action = vanished === 'prune' && prunable ? 'prune' : 'keep';
        this.count(action);
        this.rows.push({ ...planned(row), action });
      }
      if (page.length < PAGE_ROWS) break;
      await breathe();
    }
    if (!rekey && suspects.size > 0) this.suspectRekeys(suspects);
    if (vanished === 'refuse' && pending.length > 0) this.problems.push(vanishedProblem(pending));
  }

  private suspectRekeys(suspects: ReadonlyMap<string, string>): void {
    for (const { entry, channel, at } of this.created) {
      const old = traits(channel, entry.values)
        .map((trait) => suspects.get(trait))
        .find((key) => key !== undefined);
      if (old === undefined) continue;
      this.problems.push(
        problem(entry, 'error', 'rekey-suspected', {
          message: `key ${entry.key} is new, but key ${old}, which the manifest no longer has, has the same source or title in this channel`,
          hint: `if it is the same video, keep the key ${old}; if it is another one, use --rekey`,
        }),
      );
      const row = this.rows[at];
      if (row) this.rows[at] = { ...row, action: 'refuse' };
      this.actions.set('create', (this.actions.get('create') ?? 1) - 1);
      this.count('refuse');
    }
  }
}

/** Actions after which a row is to be sent. */
export const SENDS: readonly PlanAction[] = ['create', 'update', 'continue', 'attempt', 'recreate'];

function planned(row: {
  line: number;
  key: string;
  channel: string;
  label: string;
  state: RowState;
  run: string | null;
}): Omit<PlanRow, 'action'> {
  const { key, channel, label, state, run } = row;
  return { position: null, line: null, key, channel, label, selected: true, state, run };
}

function traits(channel: string, values: { source: string | null; title: string | null }): string[] {
  const found: string[] = [];
  if (values.source !== null) found.push(`${channel} source ${sourceIdentity(values.source)}`);
  if (values.title !== null && values.title !== '') found.push(`${channel} title ${values.title}`);
  return found;
}

function vanishedProblem(rows: readonly { key: string }[]): SubmissionProblem {
  const shown = rows.slice(0, 5).map((row) => row.key);
  const more = rows.length > shown.length ? ` and ${rows.length - shown.length} more` : '';
  return problem({ line: null, key: shown[0] ?? null }, 'error', 'rows-vanished', {
    message: `${rows.length} row${rows.length === 1 ? '' : 's'} of the campaign not sent yet ${rows.length === 1 ? 'is' : 'are'} no longer in the manifest: ${shown.join(', ')}${more}`,
    hint: 'cancel them with --prune, or leave them to go out with --keep',
  });
}
