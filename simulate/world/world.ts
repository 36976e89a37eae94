/** What a service does with one create, and what it answers. */
export interface Fate {
  /** `late`: this long after the request (ms), without the client knowing. */
  stores: 'at-once' | 'never' | { lateMs: number };
  /** A number is a status without a publication in the body. */
  answers: 'well' | 'cut' | 'never' | 'garbage' | 'another-id' | 'unreachable' | number;
  retryAfterS?: number;
}

export interface WorldRow {
  title: string | null;
  platform: 'platform_a' | 'platform_b';
  /** The outcomes of its creates, one after another; later ones succeed. */
  fates: readonly Fate[];
  /** The service reports these of its publications as failed, by their number from 1 on. */
  failing: readonly number[];
  /** It is sent this long (ms) after the simulation began. */
  publishAtMs?: number;
  /** How it is sent. @default by the address of its video, to be published */
  sent?: 'file' | 'direct' | 'draft';
  /** What happens to its file. */
  file?: FileChange;
}

/** A file that changes right before the nth time that it is opened, read, or its size is queried. */
export interface FileChange {
  look: number;
  becomes: 'longer' | 'shorter' | 'rewritten' | 'replaced' | 'gone';
}

export interface WorldCampaign {
  rows: readonly WorldRow[];
  /** When it is submitted, ms. */
  atMs: number;
  ambiguous: 'reconcile' | 'hold';
  /** Creates of a channel open at once. */
  width: number;
  minGapMs?: number;
}

/** How the service shows what it has. Names are those of `service/behaviours.ts`. */
export interface WorldService {
  titles: string;
  order: string;
  hides: string;
  renamesPlatforms: boolean;
  pageMax: number;
  hasTotal: boolean;
  hasDate: boolean;
  showsCreatedAt: boolean;
  lagMs: number;
  processingMs: number;
  /** Each publication is missing from one page of the list, once, a few seconds after it was created. */
  glitches: boolean;
  /** Share of reads that fail while things fail. */
  failingReads: number;
  /** It publishes what is `pending` after this long, ms; otherwise a person there does, at some time. */
  publishesPendingMs?: number;
  /** Direct publishes are in the list as well, under the id that was answered or under another one. */
  listsDirect?: 'under its id' | 'under another id';
}

/** What happens to a worker when it reaches a point of its work for the nth time. */
export interface WorldIncident {
  worker: number;
  /** `claim before`, `record after`, `POST sent`, …: see `actors/points.ts`. */
  point: string;
  nth: number;
  does: 'crash' | 'freeze';
  /** Until it runs again, or another process is started in its place, ms. */
  forMs: number;
}

export interface WorldCommand {
  atMs: number;
  /** Instead of that time: right when a worker first reaches this point of its work. */
  on?: string;
  campaign: number;
  does:
    | 'submit-again'
    | 'submit-more'
    | 'pause'
    | 'resume'
    | 'cancel'
    | 'retry'
    | 'resolve'
    | 'give-up'
    | 'cancel-in-temporal'
    | 'terminate'
    | 'fire'
    | 'rename'
    | 'change-drafts'
    | 'pend-drafts'
    | 'replace-drafts'
    | 'trigger'
    | 'pause-schedule'
    | 'unpause-schedule'
    | 'reset-firing'
    | 'terminate-firing'
    | 'cancel-firing'
    | 'write-manifest';
}

/** From a time on, for this long, ms. */
export interface Window {
  atMs: number;
  forMs: number;
}

/** Submits a campaign, instead of a person. */
export interface WorldSchedule {
  campaign: number;
  /** When it fires, ms. */
  times: readonly number[];
  /** Rows of each firing; null: all. */
  take: number | null;
  overlap: 'skip' | 'wait' | 'join';
  /** Temporal isn't running: what is due then fires when it is back. */
  away?: Window;
  /** The place of a time at which two workflows fire. */
  twice?: number;
}

/** How a notice is accepted; `is lost`: accepted, but the answer is lost. */
export type Delivery = 'well' | 'fails' | 'hangs' | 'is lost';

/**
 * Everything that happens in a simulation, except for the order of events that could happen in any order: that comes
 * from `order`, a separate seed. Everything in it can be left out, which is how a failure is shrunk.
 */
export interface World {
  order: number;
  campaigns: readonly WorldCampaign[];
  service: WorldService;
  /** Hosts of the workers, by number: a death can be proven only on the same host. */
  workers: readonly number[];
  exclusive: boolean;
  incidents: readonly WorldIncident[];
  commands: readonly WorldCommand[];
  schedule?: WorldSchedule;
  /** The notified targets, and how the first deliveries end; later ones succeed. `neverHeard`: not even those. */
  notices?: { command?: readonly Delivery[]; url?: readonly Delivery[]; neverHeard?: true };
  /** What the account has before anything is submitted: titles, the oldest first. */
  older: readonly (string | null)[];
  /** What other clients publish meanwhile. */
  others: readonly { atMs: number; title: string | null }[];
  /** Published records that are deleted at the service. */
  deletions: readonly { atMs: number; nth: number }[];
  /** The service doesn't answer reads of its list. */
  listOutage?: Window;
  /**
   * From the nth successful create on, or `afterMs` later, for this long (ms), the list shows only what existed before
   * that create. `byId`: reads by an id find no more than the list shows.
   */
  staleList?: { nth: number; forMs: number; afterMs?: number; byId?: true };
  /** The service can't be reached. */
  outage?: Window;
  /** The ledger's disk is full. */
  fullDisk?: Window & { spoolToo: boolean };
  /** Results of activities that never reach Temporal: their share. */
  lostEnds: number;
  /** How far the machine's clock is ahead of the true time, and by how much it jumps; ms. */
  clock: { aheadMs: number; jumpAtMs: number; jumpByMs: number };
}
