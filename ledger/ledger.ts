import { type AccountTrouble, type Trouble } from './channels/account-trouble';
import { type RowState } from './model/states';
import { type DirectPublish } from './publications/direct-publishes';
import {
  type GivenFlag,
  type AttemptOutcome,
  type AttentionRow,
  type ChannelWork,
  type ClaimRequest,
  type ClaimResult,
  type Counts,
  type GateInfo,
  type InFlightRow,
  type ListScan,
  type LostAttempt,
  type PageRow,
  type ProblemRow,
  type PublicationEnd,
  type ResultRecord,
  type RowValues,
  type RunInfo,
  type RunRef,
  type ViewRef,
  type SubmissionInput,
  type SubmissionResult,
  type UnknownStatus,
  type UnsettledAttempt,
  type WorkerIdentity,
  type HeardWorker,
  type WorkerPulse,
} from './model/types';
import { type CancelInput, type CancelPreview, type CancelResult } from './operator/cancel';
import { type Plan } from './model/converge';
import { type AdoptInput } from './operator/adopt';
import { type DraftChange, type DraftOutcome } from './submissions/drafts';
import { type LearnedHabits, type ListHabits } from './publications/list-habits';
import { type AnsweredPublication, type FirstSeen, type OwnedPublication } from './publications/publications';
import { type KeyRow, type OwnerRow } from './publications/ownership';
import { type RecheckInput } from './following/recheck';
import { type Firings } from './model/firing-types';
import { type LedgerStatus } from './maintenance/keeping';
import { type KnownFile } from './rows/known-files';
import { type LastSend } from './queries/last-send';
import { type TrialRows } from './submissions/trial';
import {
  type NeverClaimedRow,
  type RollbackFacts,
  type UnownedPublication,
  type PossiblySentVerdict,
} from './maintenance/rolled-back';
import { type RolledBack } from './maintenance/rollback-guard';
import { type LiveInput, type LiveResult, type LiveSetting } from './operator/live';
import { type LiveChangeRecord } from './runs/changes';
import { type PaceLayer } from './pace/pace-rules';
import { type Parking } from './channels/parkings';
import { type ResultFilter } from './queries/results';
import { type ResolveInput, type RetryCounts, type RetryInput, type RetryResult } from './operator/retry-and-resolve';

/** The newest publications of an account when a run began: whatever is listed above them came later. */
export interface Baseline {
  account: string;
  takenAt: string;
  /** Newest first; up to 100. Empty when the account had none; null when its list couldn't be read. */
  ids: readonly string[] | null;
}

/**
 * The database of campaigns, rows, attempts and outcomes; the only authority on what was sent and what came back.
 * Every method that changes something is one short transaction (imports: one per page), durable when it resolves.
 */
export interface Ledger {
  /** Made once with the database; task queues carry it. */
  readonly id: string;
  /** For people: the file's path, or the database's host and name. */
  readonly location: string;
  /** Set when the ledger went back in time (restored, or lost and made anew) and was opened all the same. */
  readonly rolledBack: RolledBack | null;
  /** What schedules fired, missed and skipped. */
  readonly firings: Firings;
  close(): Promise<void>;
  /** A consistent copy in a new file, also while others write. @throws LedgerStateError when the file exists */
  backup(path: string): Promise<void>;
  /** Every row of every campaign, with its attempts and decisions; never a source's query. */
  exportRows(): AsyncIterable<object>;
  /** Every firing of every schedule, with `record: firing` in the order the ledger met them. */
  exportFirings(): AsyncIterable<object>;
  status(): Promise<LedgerStatus>;
  /** The rising number: every claim and every run raises it. */
  sequence(): Promise<number>;
  /** Rows of the account that may have been sent in the time that a rewound ledger has lost. */
  possiblySent(account: string): Promise<AttentionRow[]>;
  /** Pauses an account whose publications are of a later state of this ledger, until it is reconciled. */
  pauseRolledBack(account: string, input: { what: string; found: readonly UnownedPublication[] }): Promise<void>;
  /** Pauses every account where this ledger's number is below one that it had before. True: it is. */
  holdIfBehind(expected: number): Promise<boolean>;
  /** Accounts that are paused so. */
  rolledBackAccounts(): Promise<string[]>;
  /** What tells whether publications at the service are of a later state of this ledger. */
  rollbackFacts(account: string): Promise<RollbackFacts>;
  /** Rows of the account that are planned or waiting, and were never claimed. */
  neverClaimed(account: string): AsyncIterable<NeverClaimedRow>;
  /** Settles a suspect: it is that publication, or a person has to say which. */
  markPossiblySent(input: PossiblySentVerdict): Promise<RowState>;
  /** The ledger was reconciled: it goes on from here. `strays` are publications that no row owns. */
  acceptRolledBack(strays: readonly UnownedPublication[]): Promise<void>;

  /**
   * Binds an account's name to its base URL, or checks the binding.
   * @throws AccountRebindError when the name is bound to another base URL and `confirm` is not set
   */
  bindAccount(input: { account: string; baseUrl: string; confirm?: boolean }): Promise<void>;

  /** What a submit would do, row by row; writes nothing. */
  plan(input: SubmissionInput): Promise<Plan>;
  /**
   * Accepts a manifest: stores its snapshot (pages of at most 500 entries a transaction), joins the campaign's open
   * run or numbers a new one. Rows themselves change in `importSubmissions`.
   * @throws SubmissionRefusedError with every problem the plan has
   */
  submit(input: SubmissionInput): Promise<SubmissionResult>;

  /**
   * Says which run a workflow execution works. The open run of the campaign is bound to the first execution that
   * asks; another execution (a reset, or a start after a terminate) supersedes it under the next number, and takes
   * over its rows. Null when the campaign has no open run.
   */
  beginRun(input: { campaign: string; workflowId: string; workflowRunId: string }): Promise<RunRef | null>;
  /** Brings the campaign's rows to the submissions not imported yet, oldest first. Idempotent; safe to repeat. */
  importSubmissions(run: RunRef, options?: { onPage?: (rows: number) => void }): Promise<{ imported: number }>;
  /** Whether the run still holds its campaign: open, and not superseded. */
  holds(run: RunRef): Promise<boolean>;
  /** Closes the run. False, and nothing done, while it has open rows or its campaign has submissions to import. */
  finishRun(run: RunRef): Promise<boolean>;
  findRun(run: RunRef): Promise<RunInfo | null>;
  newestRun(campaign: string): Promise<RunInfo | null>;
  /** By a workflow's id, or the id of one of its executions. */
  runOfWorkflow(id: string): Promise<RunInfo | null>;
  listRuns(query?: { campaign?: string; limit?: number }): Promise<RunInfo[]>;

  /** The files that rows of the campaign have, or had: of a folder, to know a file that was renamed. */
  knownFiles(campaign: string): Promise<KnownFile[]>;
  /** The zone that the newest manifest of the campaign to name one names; null: none does. */
  zoneOf(campaign: string): Promise<string | null>;
  /** Every channel that rows of the campaign have, whatever became of them. */
  campaignChannels(campaign: string): Promise<{ id: string; label: string }[]>;
  /** Channels of the run with rows that are planned, waiting or creating. */
  channels(run: RunRef): Promise<ChannelWork[]>;
  /** Creates that may be open at once in a channel of the run. */
  channelConcurrency(run: RunRef, channelId: string): Promise<number>;
  /**
   * The next rows of a channel that are planned or waiting, in the order (ready time, manifest position), each with the
   * time that the channel's pace leaves it.
   */
  takePage(input: { run: RunRef; channelId: string; limit: number; now: number }): Promise<PageRow[]>;

  /**
   * The permission to send: a compare-and-set on (row, attempt number) that checks every gate and writes the intent
   * durably. At most one attempt of a row is ever open or unsettled.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Records what came of an attempt. Never refused, whoever owns the row by now: a late `accepted` or `rejected` is
   * applied to a row that is `creating` or `unconfirmed`; a publication id that differs from the row's own is kept and
   * reported in `conflict`. Recording the same outcome twice changes nothing.
   */
  record(rowId: number, attempt: number, outcome: AttemptOutcome): Promise<{ state: RowState; conflict?: string }>;

  /**
   * Publications that planned rows had before (failed ones), by row, newest first: to be read before anything new is
   * created. Rows that had none are left out.
   */
  earlier(rowIds: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** One of them has not failed: it is the row's again, and followed. Nothing happens when the row moved meanwhile. */
  revive(rowId: number, found: { publicationId: string; status: string }): Promise<RowState>;
  /** The account of a row. */
  accountOf(rowId: number): Promise<string>;
  /** The fence right before a request leaves: the attempt is still open and nobody has settled or ended it. A read. */
  maySend(rowId: number, attempt: number): Promise<boolean>;

  registerWorker(worker: WorkerIdentity): Promise<void>;
  workerSeen(workerId: string): Promise<void>;

  /** Attempts of the run's rows that are open or ended as `perhaps`. */
  unsettled(run: RunRef): Promise<UnsettledAttempt[]>;
  /** Those of the rows that are planned or waiting, each with its time (ms; 0: at once). */
  unsent(rowIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * Every create of the account, over all campaigns, whose publication could be any that no row owns. `since` (ms since the
   * epoch): what was over a day before it is left out.
   */
  lostAttempts(account: string, since: number): Promise<LostAttempt[]>;
  /** Whether a create claimed before the publication was noted is open, or its lost answer not settled. */
  hasUnsettledBefore(account: string, publicationId: string): Promise<boolean>;
  /** Ends an open attempt whose worker is proven dead: from here on it is `perhaps`, code `worker-died`. */
  endDeadAttempt(rowId: number, attempt: number): Promise<void>;
  addScan(rowId: number, attempt: number, scan: ListScan): Promise<void>;
  /**
   * Settles an attempt that ended as `perhaps`. A compare-and-set: nothing happens when it is settled already. An open
   * attempt (its worker is silent) can only become `unconfirmed`; its own late answer still counts. `takenFrom`: the row
   * whose create was answered with the publication; its own counts as unknown from then on.
   */
  settle(
    rowId: number,
    attempt: number,
    decision:
      | { kind: 'adopt'; publicationId: string; status: string; takenFrom?: number }
      | { kind: 'repeat' }
      | { kind: 'unconfirmed'; code: string; message: string; candidates: readonly string[] },
  ): Promise<RowState>;

  saveBaseline(run: RunRef, baseline: Baseline): Promise<void>;
  /** The baseline to reconcile with: of the earliest run of this campaign that still has unsettled attempts. */
  baseline(run: RunRef, account: string): Promise<Baseline | null>;
  /** Which of these publication ids a row owns already. */
  owned(account: string, publicationIds: readonly string[]): Promise<ReadonlyMap<string, OwnedPublication>>;
  /** Those of these publications that rows have because their creates were answered with them. */
  answeredWith(account: string, publicationIds: readonly string[]): Promise<AnsweredPublication[]>;
  /**
   * Own publications that a current list has to show: all that were answered since the ledger's number was `since`, and
   * `before` of those before; without those noted after `until` (ms since the epoch). Newest first.
   */
  acceptedSince(input: { account: string; since: number; until: number; before: number }): Promise<string[]>;
  /** Whether an own create of a channel (its number in the ledger), or of an account, was ever seen in the account's list. */
  seenInList(of: { channelId: number } | { account: string }): Promise<boolean>;
  /** Direct publishes of an account that ended since a time (ISO): a service may list them as publications too. */
  directPublishes(account: string, since: string): Promise<DirectPublish[]>;
  /** The row that owns a publication; null when none does. */
  ownerRow(
    account: string,
    publicationId: string,
  ): Promise<{ rowId: number; campaign: string; key: string; line: number } | null>;
  /** The rows of these publications, by publication id; those nobody owns are left out. */
  ownersOf(account: string, publicationIds: readonly string[]): Promise<Map<string, OwnerRow>>;
  /** Every row of a campaign with this key: it may have one in each channel. */
  keyRows(campaign: string, key: string): Promise<KeyRow[]>;
  /** Rows of an account with a draft, newest first. */
  draftRows(account: string): Promise<OwnerRow[]>;
  /** What a row requests, as it was accepted for it. @throws LedgerStateError when there is no such row */
  requestedOf(rowId: number): Promise<RowValues>;
  /** Publications of a campaign's rows in some states, in the manifest's order. */
  publicationsIn(campaign: string, states: readonly RowState[]): Promise<OwnerRow[]>;
  /** Rows by state of each account's profiles, over all campaigns; a null profile is the default channel. */
  rowsByProfile(): Promise<{ account: string; profileId: string | null; counts: Counts }[]>;
  /** What people did to a row, oldest first. */
  decisionsOf(rowId: number): Promise<{ kind: string; publicationId: string | null; by: string; at: string }[]>;
  /** Drafts that the run's manifest wants changed, in what PATCH can carry. */
  draftChanges(run: RunRef): Promise<DraftChange[]>;
  /** Records what came of such a change. */
  recordDraftChange(
    run: RunRef,
    change: Pick<DraftChange, 'rowId' | 'publicationId'>,
    outcome: DraftOutcome,
  ): Promise<void>;
  /** Drafts whose change the service has not answered yet: the run is not over before. */
  pendingDrafts(run: RunRef): Promise<number>;
  /** Drafts other than these stop waiting for a change. */
  dropPendingDrafts(run: RunRef, needed: readonly number[]): Promise<void>;
  /** Drafts of a row that a new publication replaces, whose records are there still. */
  replacedDrafts(rowId: number): Promise<string[]>;
  /** Drafts of the campaign whose replacement is there, and whose records aren't deleted yet. */
  leftDrafts(campaign: string): Promise<{ rowId: number; account: string; publicationId: string }[]>;
  /** Statuses that the interface doesn't name, as followed rows of the view show them, the most frequent first. */
  unknownStatuses(view: ViewRef): Promise<UnknownStatus[]>;
  /** Drafts of the run's manifest that the service, or what they are by now, kept from being changed. */
  unchangedDrafts(view: ViewRef): Promise<number>;
  /** Published rows of the view that are not, or no longer, live as requested. */
  differing(view: ViewRef): Promise<number>;
  /** Notes that a row's publication was changed by hand. */
  noteEdited(input: { rowId: number; publicationId: string; status: string | null; by: string }): Promise<void>;
  /** Notes that the record of a row's publication was deleted; the row and its history stay. */
  noteDeleted(input: { rowId: number; publicationId: string; by: string }): Promise<void>;
  /**
   * Notes what a later read of a finished row's publication showed, with its time; the row's state stays.
   * `finding`: null when it is as requested.
   */
  noteRechecked(input: RecheckInput): Promise<void>;
  /**
   * Makes a publication that exists the one of a row, so that nothing is created for it.
   * @throws LedgerStateError when the row has one already, is being created, or the publication is another row's
   */
  adopt(input: AdoptInput): Promise<{ state: RowState; run: RunRef | null }>;
  /** How the account's list treats what was sent, as own creates showed it. */
  listHabits(account: string): Promise<ListHabits>;
  /** Adds to it. */
  learnHabits(account: string, learned: LearnedHabits): Promise<void>;
  /**
   * Notes that these own publications appeared in the account's list (first time only). The list is slow for one only
   * if the read before could have shown it: own publications noted between `from` and `to` (ms since the epoch) had to
   * be in that one.
   */
  noteSeen(
    account: string,
    publicationIds: readonly string[],
    at: number,
    previousRead?: { from: number; to: number },
  ): Promise<FirstSeen[]>;

  inFlight(run: RunRef): Promise<InFlightRow[]>;
  /** Notes a status that ends nothing. */
  noteStatus(rowId: number, publicationId: string, status: string): Promise<void>;
  /** Writes the ends of publications, up to 200 in one transaction. Idempotent; an end already recorded stays. */
  recordEnds(ends: readonly PublicationEnd[]): Promise<void>;

  setGate(gate: Omit<GateInfo, 'since'>): Promise<GateInfo>;
  clearGate(scope: string, kind: GateInfo['kind']): Promise<void>;
  gates(run: RunRef): Promise<GateInfo[]>;
  /** What holds one channel of the run, the strongest first; a cancel holds nothing. */
  holdOf(run: RunRef, channelId: string): Promise<GateInfo | null>;
  /** Holds a run, or one of its channels, until it is resumed. Committed when it resolves; claimed rows are named. */
  pause(input: LiveInput): Promise<LiveResult>;
  /** Opens what is paused, parked or stopped for a run, or for one of its channels. */
  resume(input: LiveInput): Promise<LiveResult & { opened: GateInfo[] }>;
  /** Changes a run's pace from now on; a null layer takes a setting back. */
  setLive(input: {
    run: RunRef;
    by: string;
    settings: readonly { name: string; shown: string; layer: PaceLayer | null }[];
  }): Promise<LiveResult>;
  /** What was set for a run, by whom and when. */
  liveSettings(run: RunRef): Promise<LiveSetting[]>;
  /** What was changed in a run while it went, newest first. */
  liveChanges(run: RunRef, limit: number): Promise<LiveChangeRecord[]>;
  /** What of a run's parkings is to be looked at now; nobody else gets it before its next look is due. Times in ms. */
  takeProbes(input: { run: RunRef; now: number; everyMs: number; mostMs: number }): Promise<Parking[]>;
  /** Keeps a parked channel's connection as it was read, for the next look. */
  noteConnected(scope: string, connected: string): Promise<void>;
  /** Whether a person resumed the account after it was parked, at `since` (ms since the epoch) or later. */
  wasResumed(account: string, since: number): Promise<boolean>;
  /** Parks an account, unless it is parked: nothing of it is sent until a look shows that its key works again, or it is resumed. */
  parkAccount(input: { account: string; reason: string }): Promise<void>;
  /** Profiles that rows of the account have had, with the name they had last and their platforms. */
  knownProfiles(account: string): Promise<{ id: string; name: string; channels: { platform: string }[] }[]>;
  /** Opens what is parked; false when it wasn't. */
  unpark(input: { scope: string; by: string; why: string }): Promise<boolean>;
  /** Keeps what keeps an account from being reached now; null: nothing. */
  noteTrouble(account: string, trouble: Trouble | null): Promise<void>;
  /** The troubles of the accounts that a run has rows of. */
  accountTroubles(run: RunRef): Promise<AccountTrouble[]>;
  /** Those of the rows for which a cancel came after their claim: uploads under way for them stop. */
  cancelsAsked(rowIds: readonly number[]): Promise<number[]>;
  /** Cancels what is not claimed: the whole run, a channel or single keys. Committed when it resolves. */
  cancel(input: CancelInput): Promise<CancelResult>;
  /** What that would come upon now; changes nothing. */
  previewCancel(input: Omit<CancelInput, 'by'>): Promise<CancelPreview>;
  /** Ends what a cancel that was killed after its commit had not come to; nothing where nothing was cancelled. */
  cancelGated(run: RunRef): Promise<void>;

  /**
   * Has failed and rejected rows of the campaign's newest manifest, and of the run, planned anew, and overdue ones followed
   * again, in the open run or a new one. Unconfirmed rows never.
   */
  retry(input: RetryInput): Promise<RetryResult>;
  /** What a retry would take, by state; changes nothing. */
  countRetry(input: Omit<RetryInput, 'by'>): Promise<RetryCounts>;
  /** Rows of the run's campaign that only a person can settle, in the manifest's order. */
  needsPerson(run: RunRef, limit?: number): Promise<AttentionRow[]>;
  /** Those that a person may settle: unconfirmed ones, and those whose lost answer is still being looked for. */
  resolvable(run: RunRef): Promise<AttentionRow[]>;
  /** Rows of the run that ended otherwise than asked, the newest first; 10 by default. */
  problemRows(view: ViewRef, limit?: number): Promise<ProblemRow[]>;
  /** Rows of the run's campaign that may be out twice, or whose publication is another row's. */
  disputed(run: RunRef): Promise<number>;
  /** Rows of the campaign that a late answer brought back after their run had ended; its next run takes them. */
  unfollowed(campaign: string): Promise<number>;
  /**
   * Settles an unconfirmed row by a person's word.
   * @throws LedgerStateError when the key has no unconfirmed row, or several and no channel is named
   */
  resolve(input: ResolveInput): Promise<{ state: RowState; run: RunRef | null }>;

  /**
   * Rows by state over the whole manifest of the run (rows done in earlier runs included), and over those that the run has
   * besides: rows that the manifest no longer has, and which were kept, or sent already. Of a campaign: over its main
   * manifest and every further row that was not pruned.
   */
  counts(view: ViewRef): Promise<Counts>;
  /** How many of the cancelled ones a person gave up: they may be out all the same. */
  givenUp(view: ViewRef): Promise<number>;
  /** The flags that the campaign's newest manifest was submitted with; null: they aren't known. */
  givenFlags(campaign: string): Promise<readonly GivenFlag[] | null>;
  /** How the campaign’s main manifest begins: at most 100,000 characters; null: it has none. */
  manifestStart(campaign: string): Promise<{ format: string; text: string } | null>;
  /** When the last row that the run has yet to send is sent, by its time and its channel's pace. */
  lastSend(run: RunRef): Promise<LastSend>;
  /** The worker that the ledger heard of last, over all of them. */
  lastPulse(): Promise<WorkerPulse | null>;
  /** The workers that the ledger heard of last, newest first: whether one of them is there is for its host to say. */
  recentWorkers(limit: number): Promise<HeardWorker[]>;
  /** Rows this run still has to end: planned or waiting and selected, creating, processing. */
  openRows(run: RunRef): Promise<number>;
  /** Whether it has any; costs the same however many it has. */
  hasOpenRows(run: RunRef): Promise<boolean>;
  /** What a run that is only a trial has taken; null for a run of all rows. */
  trial(run: RunRef): Promise<TrialRows | null>;
  /**
   * One record per row of the run's manifest, in its order, then those that the run has besides (`not-in-manifest`, where
   * they have no code of their own); paged inside, so that memory stays flat.
   */
  results(view: ViewRef, filter?: ResultFilter): AsyncIterable<ResultRecord>;
  /** The manifest's own headers, in order; then those that only manifests of further rows have. */
  columns(view: ViewRef, filter?: Pick<ResultFilter, 'everything'>): Promise<readonly string[]>;
}
