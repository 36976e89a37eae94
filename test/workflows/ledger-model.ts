import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Page, type ReelayActivities, type RowResult, type WatchResult } from '../../activities/contract';
import { isPaced, nextSlot, type PaceRules, slotsFor } from '../../ledger/pace/pace';
import { type RowState } from '../../ledger/model/states';

interface ModelRow {
  id: number;
  channel: string;
  state: RowState;
  readyAt: number | null;
}

/** A ledger and service in memory with the promises of the real ones: what workflows rest on, and nothing more. */
export class LedgerModel {
  readonly sent: number[] = [];
  readonly sentAt = new Map<number, number>();
  readonly publishedAt = new Map<number, number>();
  /** Rows of each activity that found the service away. */
  readonly probes: number[] = [];
  /** This many create activities have begun before the first of them finds the service unreachable. */
  togetherAway = 0;
  awayAfterGroups = 0;
  /** The input of each create activity, in the order in which they began. */
  readonly groups: { rows: number; places: number | undefined }[] = [];
  cancelled = false;
  /** What holds every channel, such as `paused since …`; claims are refused meanwhile. */
  gate: string | null = null;
  /** The result of a probe of a parked channel: true opens it. */
  probe: (() => boolean) | null = null;
  /** Watches that began while the gate was closed. */
  heldWatches = 0;
  /** Create activities that met the gate. */
  refusals = 0;
  pages = 0;
  /** A row at which the service once asks for a pause of 2 s, for it and what comes after it in its activity. */
  busyAt: number | null = null;
  /** A row whose create lasts until this resolves, like a long upload. */
  lasting: { id: number; ended: () => boolean } | null = null;
  /** A row whose create took so long. */
  slow: { id: number; tookMs: number } | null = null;
  /** A row whose answer was lost is returned to be created once this many pages were read. */
  repeatAfterPages = 0;
  /** Rows that the service reports as failed. */
  readonly failing = new Set<number>();
  /** How fast every channel may send, by the ledger's own computation. */
  pace: PaceRules = {};
  private readonly rows: ModelRow[] = [];
  private away = 0;
  private held = true;
  private broken = false;
  private readonly lost = new Set<number>();
  private readonly fromFirstPage = new Map<number, number>();
  private closed = false;
  private runs = 1;

  constructor(
    readonly campaign: string,
    size: { channels: number; rowsEach: number },
  ) {
    for (let channel = 0; channel < size.channels; channel += 1) this.add(`channel-${channel}`, size.rowsEach);
  }

  private add(channel: string, count: number): void {
    for (let each = 0; each < count; each += 1) {
      this.rows.push({ id: this.rows.length, channel, state: 'planned', readyAt: null });
    }
  }

  delay(id: number, at: number): void {
    this.rows[id]!.readyAt = at;
  }
  /** So long after the first page was read: however late the workers start, the row isn't in the first group. */
  delayFromFirstPage(id: number, ms: number): void {
    this.fromFirstPage.set(id, ms);
  }
  unreachableFor(activities: number): void {
    this.away = activities;
  }
  /** As a submission after the end of a run does: the next run is open. */
  reopen(count: number): void {
    this.add('channel-0', count);
    this.closed = false;
    this.runs += 1;
  }
  close(): void {
    this.closed = true;
  }
  loseAnswerOf(id: number): void {
    this.lost.add(id);
  }
  submit(count: number): void {
    this.add('channel-0', count);
  }
  /** A later submission takes back what was cancelled. */
  planAgain(): void {
    for (const row of this.rows) if (row.state === 'cancelled') row.state = 'planned';
  }
  /** One more row for each channel. */
  submitToAll(): void {
    for (const channel of new Set(this.rows.map((row) => row.channel))) this.add(channel, 1);
  }
  supersede(): void {
    this.held = false;
  }
  breakImport(): void {
    this.broken = true;
  }

  counts(): Partial<Record<RowState, number>> {
    const counts: Partial<Record<RowState, number>> = {};
    for (const row of this.rows) counts[row.state] = (counts[row.state] ?? 0) + 1;
    return counts;
  }

  async until(reached: () => boolean): Promise<void> {
    while (!reached()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  private open(): ModelRow[] {
    return this.rows.filter((row) => ['planned', 'waiting', 'creating', 'processing'].includes(row.state));
  }

  /** When a channel sent, oldest first. */
  sentOf(channel: string): number[] {
    if (!isPaced(this.pace)) return [];
    const own = this.rows.filter((row) => row.channel === channel);
    return own.flatMap((row) => this.sentAt.get(row.id) ?? []).sort((a, b) => a - b);
  }

  private channels() {
    const left = new Map<string, number>();
    for (const row of this.rows) {
      if (row.state === 'planned' || row.state === 'waiting') left.set(row.channel, (left.get(row.channel) ?? 0) + 1);
    }
    return [...left].map(([id, open]) => ({ id, label: id, open }));
  }

  /** When the first of the open rows may be sent. */
  private soonest(at: number): number {
    const open = this.open();
    const slots = new Map<string, number>();
    for (const channel of new Set(open.map((row) => row.channel))) {
      slots.set(channel, nextSlot(this.pace, this.sentOf(channel), at).at);
    }
    return Math.min(...open.map((row) => Math.max(row.readyAt ?? 0, slots.get(row.channel) ?? 0)));
  }

  /** What happens after a run was closed and before its workflow hears of it. */
  afterFinish: (() => Promise<void>) | null = null;
  /** What happens after a watch has read all and before its workflow hears of it. */
  afterWatch: (() => Promise<void>) | null = null;
  /** What `beginRun` waits for before it answers with what it has read. */
  beforeBegun: (() => Promise<void>) | null = null;

  activities(now: () => Promise<number>, wake: (workflowIds: readonly string[]) => Promise<void>): ReelayActivities {
    return {
      wakeChannels: ({ workflowIds }) => wake(workflowIds),
      beginRun: async () => {
        const read = this.closed ? null : { campaign: this.campaign, number: this.runs };
        await this.beforeBegun?.();
        return read;
      },
      importManifest: async () => {
        // What a workflow bug would meet: an answer without what it reads.
        if (this.broken) return null as never;
        return { channels: this.channels() };
      },
      takePage: async ({ channelId, limit }): Promise<Page> => {
        const at = await now();
        this.pages += 1;
        for (const [id, ms] of this.fromFirstPage) this.delay(id, at + ms);
        this.fromFirstPage.clear();
        const rows = this.rows
          .filter((row) => row.channel === channelId && (row.state === 'planned' || row.state === 'waiting'))
          .sort((a, b) => (a.readyAt ?? 0) - (b.readyAt ?? 0) || a.id - b.id)
          .slice(0, limit);
        const book = { rules: this.pace, history: this.sentOf(channelId) };
        const slots = slotsFor(
          [book],
          rows.map((row) => Math.max(row.readyAt ?? 0, at)),
        );
        const linger = rows.length === 0 && this.open().length > 0;
        return {
          holds: this.held,
          held: this.gate,
          ...(linger ? { linger } : {}),
          rows: rows.map((row, index) => ({
            id: row.id,
            line: row.id + 2,
            label: `row ${row.id + 2}`,
            readyAt: slots[index]!.at <= at ? null : new Date(slots[index]!.at).toISOString(),
            upload: false,
          })),
        };
      },
      createPublications: async ({ rowIds, places }) => {
        const at = await now();
        this.groups.push({ rows: rowIds.length, places });
        if (this.gate !== null) {
          this.refusals += 1;
          return { rows: rowIds.map((id): RowResult => ({ id, result: 'later', state: 'planned', code: 'paused' })) };
        }
        if (this.away > 0 && this.groups.length > this.awayAfterGroups) {
          this.away -= 1;
          // All that are under way meet it together.
          await this.until(() => {
            Context.current().heartbeat();
            return this.groups.length >= this.togetherAway;
          });
          this.probes.push(rowIds.length);
          const [first = -1, ...others] = rowIds;
          return {
            rows: [
              { id: first, result: 'unreachable', state: 'planned' },
              ...others.map((id): RowResult => ({ id, result: 'later', state: 'planned' })),
            ],
          };
        }
        if (this.busyAt !== null && rowIds.includes(this.busyAt)) {
          this.busyAt = null;
          return { rows: rowIds.map((id): RowResult => ({ id, result: 'later', state: 'planned', waitMs: 2_000 })) };
        }
        while (this.lasting !== null && rowIds.includes(this.lasting.id) && !this.lasting.ended()) {
          Context.current().cancellationSignal.throwIfAborted();
          Context.current().heartbeat();
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return {
          rows: rowIds.map((id): RowResult => {
            const row = this.rows[id]!;
            const early = (row.readyAt ?? 0) > at || nextSlot(this.pace, this.sentOf(row.channel), at).at > at;
            if (row.state !== 'planned' || early) return { id, result: 'later', state: row.state };
            this.sent.push(id);
            this.sentAt.set(id, at);
            row.state = this.lost.has(id) ? 'creating' : 'processing';
            const took = this.slow?.id === id ? { tookMs: this.slow.tookMs } : {};
            return { id, result: 'done', state: row.state, ...took };
          }),
        };
      },
      watchPublications: async ({ budgetMs, atLeastMs, parked }): Promise<WatchResult> => {
        const began = Date.now();
        let repeated = false;
        const wake = new Set<string>();
        // Read once: what is opened while it watches is opened after its last check.
        const gate = this.gate;
        if (gate !== null) this.heldWatches += 1;
        let opened = parked !== undefined && gate === null;
        while (Date.now() - began < Math.min(budgetMs, 500)) {
          if (this.probe?.() === true) {
            this.gate = null;
            this.probe = null;
            opened = true;
            break;
          }
          Context.current().cancellationSignal.throwIfAborted();
          for (const row of this.rows) {
            if (row.state === 'processing') {
              row.state = this.failing.has(row.id) ? 'failed' : 'published';
              this.publishedAt.set(row.id, await now());
            }
            if (row.state === 'creating' && this.pages >= this.repeatAfterPages) {
              this.lost.delete(row.id);
              row.state = 'planned';
              repeated = true;
              wake.add(row.channel);
            }
          }
          if (this.open().length === 0 || !this.held) break;
          const soonest = this.soonest(await now());
          if (Date.now() - began > 100 && soonest > (await now()) + 10_000) break;
          if (repeated && Date.now() - began > Math.min(atLeastMs, 100)) break;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const waiting = this.open();
        const allWait = waiting.length > 0 && waiting.every((row) => row.state === 'planned');
        const soonest = this.soonest(await now());
        const read: WatchResult = {
          counts: this.counts(),
          idleUntil: allWait && soonest > (await now()) + 10_000 ? new Date(soonest).toISOString() : null,
          open: this.open().length,
          channels: this.channels(),
          notes: [],
          problems: this.rows
            .filter(({ state }) => state === 'failed')
            .map(({ id, channel, state }) => ({ row: `row ${id} · Title`, channel, state, why: 'service-failed' })),
          holds: this.held,
          ...(wake.size > 0 ? { wake: [...wake] } : {}),
          ...(opened ? { hurry: true } : {}),
          ...(gate?.startsWith('parked') === true ? { parked: ['account:main'] } : {}),
        };
        if (read.idleUntil !== null) await this.afterWatch?.();
        return read;
      },
      finishRun: async () => {
        this.closed = this.open().length === 0;
        const finished = this.closed;
        await this.afterFinish?.();
        return { finished };
      },
      cancelRun: async () => {
        if (this.broken) throw ApplicationFailure.nonRetryable('broken');
        this.cancelled = true;
        for (const row of this.rows) if (row.state === 'planned' || row.state === 'waiting') row.state = 'cancelled';
      },
    };
  }
}
