import { type Ledger } from '../../ledger/ledger';
import { type Entry, type RunRef } from '../../ledger/model/types';
import { publishCampaign } from '../../workflows/publish-campaign';
import { campaignWorkflowId } from '../../workflows/ids';
import { BEGINNING } from '../clock/virtual-time';
import { type Owner, type Scheduler } from '../clock/scheduler';
import { type Stored } from '../service/messages';
import { type Service } from '../service/service';
import { type Temporal } from '../temporal/temporal';
import { VIDEOS } from '../service/form';
import { type Schedule } from '../temporal/schedule';
import { type World, type WorldCommand, type WorldRow } from '../world/world';
import { stepwise } from './stepwise-ledger';
import { ACCOUNT } from './worker-process';

export const campaignName = (at: number): string => `campaign-${at}`;
export const sourceOf = (world: World, campaign: number, position: number): string =>
  isFile(world.campaigns[campaign]?.rows[position])
    ? `${VIDEOS}/${campaign}-${position}.mp4`
    : `https://videos.example/${campaign}/${position}.mp4`;

export function isFile(row: WorldRow | undefined): boolean {
  return row?.sent === 'file' || row?.sent === 'direct';
}

/** The position of a row in its manifest, by its key. */
function positionOf(key: string): number {
  return Number.parseInt(key.slice(1), 10);
}

/** Size of every video in bytes. */
export const VIDEO_BYTES = 100_000;

/** Longer than any fault lasts. Publications that stay pending at the service end by then. */
export const GIVE_UP_MS = 5 * 60_000;
/** How long writing a manifest takes, ms. */
const WRITING_MS = 1_000;
/** How often people check whether something is held. */
const LOOK_MS = 60_000;

/**
 * People and scripts: they submit, check and decide, using the same functions as the commands. What they say about a
 * publication is true.
 */
export class Operator implements Owner {
  readonly name = 'operator';
  alive = true;
  frozenUntil = 0;
  /** Commands under way. */
  busy = 0;
  /** Rows of each campaign's newest manifest. */
  private readonly rows = new Map<number, number>();
  private readonly ledger: Ledger;
  /** What a campaign's newest manifest says about its drafts. */
  private readonly drafts = new Map<number, { edition: number; status: 'draft' | 'pending' | 'published' }>();
  /** Rows that have come back under a new key, by their place in the world: how often. */
  private readonly renames = new Map<string, number>();
  private awaited: { command: WorldCommand; on: string }[] = [];

  constructor(
    private readonly world: World,
    private readonly scheduler: Scheduler,
    private readonly temporal: Temporal,
    private readonly service: Service,
    private readonly raw: Ledger,
    private readonly around: {
      fails: () => Error | null;
      isAttemptOver: (campaign: string, key: string) => boolean;
      wrote: () => void;
      /** Drafts of these videos are to be replaced by publications. */
      replaces: (sources: readonly string[]) => void;
      /** For the campaign that a schedule submits. */
      schedule: { server: Schedule; write: (rows: number, isHalf: boolean) => void } | undefined;
    },
  ) {
    this.ledger = stepwise(
      raw,
      { point: () => this.point(), told: (what) => this.scheduler.note(this, what), wrote: around.wrote },
      around.fails,
    );
  }

  /** Schedules all events of the world at their times. */
  plan(): void {
    this.world.campaigns.forEach(({ atMs, rows }, at) => {
      if (this.world.schedule?.campaign === at) this.makeSchedule(at, rows.length);
      else this.at(atMs, `submits ${campaignName(at)}`, () => this.submit(at, rows.length));
    });
    for (const command of this.world.commands) {
      const { atMs, campaign, does, on } = command;
      if (on === undefined) this.at(atMs, `${does} ${campaignName(campaign)}`, () => this.carryOut(command));
      else this.awaited.push({ command, on });
    }
  }

  /** A worker has reached a point of its work: events that wait for that point happen. */
  reached(point: string): void {
    const due = this.awaited.filter(({ on }) => on === point);
    if (due.length === 0) return;
    this.awaited = this.awaited.filter(({ on }) => on !== point);
    for (const { command } of due) {
      const { does, campaign } = command;
      this.at(this.scheduler.now, `${does} ${campaignName(campaign)} at “${point}”`, () => this.carryOut(command));
    }
  }

  /** Numbers of the campaigns that were submitted. */
  get submitted(): number[] {
    return [...this.rows.keys()];
  }

  /** Opens what is held, and starts every run that isn't running; checks again from time to time. */
  async tidyUp(): Promise<void> {
    await this.open(true);
    const again = (): void => {
      this.scheduler.add(this, LOOK_MS, null, () => void this.open(false).then(again));
    };
    again();
  }

  private async open(all: boolean): Promise<void> {
    for (const at of this.rows.keys()) {
      const newest = await this.ledger.newestRun(campaignName(at));
      if (newest === null) continue;
      const gates = await this.ledger.gates(newest);
      const isHeld = gates.some(({ kind }) => kind !== 'cancelled');
      if (isHeld) await this.ledger.resume({ run: newest, by: 'operator' });
      if (newest.open && (isHeld || all)) this.start(at);
    }
  }

  at(ms: number, what: string, work: () => Promise<void>): void {
    this.busy += 1;
    this.scheduler.add(this, ms - this.scheduler.now, what, () => {
      work()
        .catch((error: unknown) => this.scheduler.note(this, `is refused: ${String(error).split('\n')[0] ?? ''}`))
        .finally(() => (this.busy -= 1));
    });
  }

  /** Until it is made: a full disk refuses it. */
  private makeSchedule(at: number, rows: number): void {
    this.at(this.scheduler.now, 'makes a schedule', () =>
      this.schedule(at, rows).catch((error: unknown) => {
        this.scheduler.add(this, LOOK_MS, null, () => this.makeSchedule(at, rows));
        throw error;
      }),
    );
  }

  private async schedule(at: number, rows: number): Promise<void> {
    await this.ledger.bindAccount({ account: ACCOUNT, baseUrl: 'https://service.example' });
    await this.ledger.firings.keep('daily', 'operator');
    await this.ledger.firings.mark('daily', { watchedTo: BEGINNING - 1_000 });
    this.rows.set(at, rows);
    this.around.schedule?.server.begin();
  }

  private point(): Promise<void> {
    return new Promise((resolve) => {
      this.scheduler.add(this, this.scheduler.moment(), null, resolve);
    });
  }

  private async submit(
    at: number,
    count: number,
    given: { cancelled?: 'send' | 'leave'; recreate?: boolean; vanished?: 'prune' } = {},
  ): Promise<void> {
    await this.ledger.bindAccount({ account: ACCOUNT, baseUrl: 'https://service.example' });
    const campaign = this.world.campaigns[at];
    if (campaign === undefined) return;
    const hash = `${at}/${count}/${this.drafts.get(at)?.edition ?? 0}/${[...this.renames].join(' ')}`;
    await this.ledger.submit({
      campaign: campaignName(at),
      by: 'operator',
      entries: Array.from({ length: count }, (_, position) => this.entry(at, position)),
      snapshot: {
        hash,
        fileHash: hash,
        path: '/manifest.csv',
        format: 'csv',
        text: '',
        columns: ['title'],
        settings: {
          late: 'publish',
          giveUpAfterMs: GIVE_UP_MS,
          ambiguous: campaign.ambiguous,
          repeat: 'allow',
          channelConcurrency: campaign.width,
          accountConcurrency: 16,
          ...(campaign.minGapMs === undefined ? {} : { pace: [{ minGapMs: campaign.minGapMs }] }),
        },
      },
      ...given,
    });
    this.rows.set(at, count);
    this.start(at);
  }

  /** As the commands do after they have written: starts the campaign's workflow, or signals the running one. */
  private start(at: number): void {
    const campaign = campaignName(at);
    const input = { campaign, ledgerId: this.raw.id };
    this.temporal.signalWithStart(publishCampaign, campaignWorkflowId(campaign), input, 'submitted');
  }

  private async carryOut({ campaign: at, does }: WorldCommand): Promise<void> {
    if (this.actOnSchedule(at, does)) return;
    const run = await this.ledger.newestRun(campaignName(at));
    const rows = this.rows.get(at);
    const workflow = campaignWorkflowId(campaignName(at));
    if (run === null || rows === undefined) return;
    switch (does) {
      case 'submit-again':
        return this.submit(at, rows, { cancelled: this.scheduler.random.chance(0.5) ? 'send' : 'leave' });
      case 'submit-more':
        return this.submit(at, rows + 1, { cancelled: 'leave' });
      case 'fire':
        // Both times of one firing: it submits once.
        await this.submit(at, rows, { cancelled: 'leave' });
        return this.submit(at, rows, { cancelled: 'leave' });
      case 'rename':
        return this.rename(at, run, rows);
      case 'change-drafts':
      case 'pend-drafts':
      case 'replace-drafts':
        return this.changeDrafts(at, rows, does);
      case 'trigger':
      case 'pause-schedule':
      case 'unpause-schedule':
      case 'reset-firing':
      case 'terminate-firing':
      case 'cancel-firing':
      case 'write-manifest':
        return;
      case 'pause':
        await this.ledger.pause({ run, by: 'operator' });
        return;
      case 'resume':
        await this.ledger.resume({ run, by: 'operator' });
        this.temporal.signal(workflow, 'hurry');
        return;
      case 'cancel':
        await this.ledger.cancel({ run, by: 'operator' });
        this.temporal.signal(workflow, 'hurry');
        return;
      case 'cancel-in-temporal':
        this.temporal.cancel(workflow);
        return;
      case 'terminate':
        this.temporal.terminate(workflow);
        return;
      case 'retry':
        await this.retry(at);
        return;
      case 'resolve':
        return this.resolve(at, run, 'true');
      case 'give-up':
        return this.resolve(at, run, 'give-up');
    }
  }

  /** False: the schedule isn't affected. */
  private actOnSchedule(at: number, does: WorldCommand['does']): boolean {
    const { schedule } = this.around;
    if (schedule === undefined) return false;
    const { server, write } = schedule;
    const acts: Partial<Record<WorldCommand['does'], () => void>> = {
      trigger: () => server.trigger(),
      'pause-schedule': () => server.setPaused(true),
      'unpause-schedule': () => server.setPaused(false),
      'reset-firing': () => server.act('reset'),
      'terminate-firing': () => server.act('terminate'),
      'cancel-firing': () => server.act('cancel'),
      'write-manifest': () => this.writeManifest(at, write),
    };
    acts[does]?.();
    return acts[does] !== undefined;
  }

  /** Adds one row; for a moment only half of it is written. */
  private writeManifest(at: number, write: (rows: number, isHalf: boolean) => void): void {
    const rows = (this.rows.get(at) ?? 0) + 1;
    write(rows, true);
    this.at(this.scheduler.now + WRITING_MS, 'has written the manifest', async () => {
      this.rows.set(at, rows);
      write(rows, false);
    });
  }

  /** Submits the manifest with other drafts. */
  private async changeDrafts(
    at: number,
    count: number,
    does: 'change-drafts' | 'pend-drafts' | 'replace-drafts',
  ): Promise<void> {
    const before = this.drafts.get(at) ?? { edition: 0, status: 'draft' as const };
    const edition = before.edition + 1;
    const status = does === 'change-drafts' ? before.status : does === 'pend-drafts' ? 'pending' : 'published';
    this.drafts.set(at, { edition, status });
    const drafts = this.world.campaigns[at]?.rows.flatMap(({ sent }, position) =>
      sent === 'draft' ? [sourceOf(this.world, at, position)] : [],
    );
    if (does === 'replace-drafts') this.around.replaces(drafts ?? []);
    return this.submit(at, count, { cancelled: 'leave', recreate: does === 'replace-drafts' });
  }

  /** Submits the manifest with the videos of its rejected rows under new keys. */
  private async rename(at: number, run: RunRef, count: number): Promise<void> {
    const before = [...this.renames];
    for await (const { key, state } of this.raw.results(run)) {
      const place = `${at}/${positionOf(key)}`;
      if (state === 'rejected') this.renames.set(place, (this.renames.get(place) ?? 0) + 1);
    }
    try {
      await this.submit(at, count, { cancelled: 'leave', vanished: 'prune' });
    } catch (error) {
      // A full disk refused it: a later submit without --prune, and a retry of the old row, would send both.
      this.renames.clear();
      for (const [place, times] of before) this.renames.set(place, times);
      throw error;
    }
  }

  /**
   * Resumes what is open, retries failed and rejected rows, and submits again if an answer came after the end of its
   * run.
   */
  /** False: there was nothing to do. */
  async retry(at: number): Promise<boolean> {
    const run = await this.ledger.newestRun(campaignName(at));
    if (run === null) return false;
    // Its workflow was terminated, or it has just ended: `run` resumes it.
    if (run.open) this.start(at);
    const isUnfollowed = (await this.ledger.unfollowed(campaignName(at))) > 0;
    const recreate = this.drafts.get(at)?.status === 'published';
    if (isUnfollowed) await this.submit(at, this.rows.get(at) ?? 0, { cancelled: 'leave', recreate });
    const again = await this.ledger.retry({ run, by: 'operator' });
    if (again.run !== null) this.start(at);
    return run.open || isUnfollowed || again.run !== null;
  }

  /** Settles what waits for a person by what the service really has, as if the person checked the channel. */
  async resolve(at: number, run: RunRef, how: 'true' | 'give-up'): Promise<void> {
    for await (const record of this.raw.results(run)) {
      if (record.state !== 'unconfirmed') continue;
      const { key } = record;
      const position = positionOf(key);
      const { via } = this.entry(at, position).values;
      const out = this.service.stored.filter(({ source }) => source === sourceOf(this.world, at, position));
      const [only] = out.filter((one) => !one.deleted);
      // A person who can't be sure that the worker has ended waits (docs/explanation/limits.md).
      if (how === 'true' && only === undefined && !this.around.isAttemptOver(campaignName(at), key)) continue;
      const decision =
        how === 'give-up'
          ? ({ kind: 'give-up' } as const)
          : only === undefined
            ? ({ kind: 'not-published' } as const)
            : via === 'direct'
              ? ({ kind: 'submitted', publishId: only.id } as const)
              : ({ kind: 'published', publicationId: only.id, ...this.draftOf(only) } as const);
      const { run: next } = await this.ledger.resolve({ run, key, decision, by: 'operator' });
      if (next !== null) this.start(at);
    }
  }

  /** A person who names a draft has checked it. */
  private draftOf(stored: Stored): { status?: string } {
    const status = this.service.statusOf(stored);
    return status === 'draft' || status === 'pending' ? { status } : {};
  }

  private entry(at: number, position: number): Entry {
    const row = this.world.campaigns[at]?.rows[position];
    const publishAt = row?.publishAtMs === undefined ? null : new Date(BEGINNING + row.publishAtMs).toISOString();
    const platform = row?.platform ?? 'platform_b';
    const source = sourceOf(this.world, at, position);
    const { edition = 0, status = 'draft' } = row?.sent === 'draft' ? (this.drafts.get(at) ?? {}) : {};
    const title = row === undefined ? `Added ${position}` : row.title;
    const renamed = this.renames.get(`${at}/${position}`);
    return {
      position,
      line: position + 2,
      key: renamed === undefined ? `k${position}` : `k${position}-${renamed}`,
      account: ACCOUNT,
      skip: false,
      cells: {},
      values: {
        source,
        sourceKind: isFile(row) ? 'file' : 'url',
        ...(isFile(row) ? { fileSize: VIDEO_BYTES, fileModifiedMs: BEGINNING } : {}),
        platform,
        platformKind: platform === 'platform_b' ? 'long' : 'short',
        profileId: 'profile-1',
        profileName: null,
        title: edition === 0 ? title : `${title ?? 'Untitled'} (${edition})`,
        description: null,
        privacy: 'private',
        status: row?.sent === 'draft' ? status : 'published',
        publishAt,
        via: row?.sent === 'direct' ? 'direct' : 'publication',
      },
    };
  }
}
