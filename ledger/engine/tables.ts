import { type Generated } from 'kysely';
import { type FiringOutcome } from '../model/firing-types';
import { type RowState } from '../model/states';

/** The ledger's tables. Times are ms since the epoch; flags are 0 or 1; `json` columns are text. */
export interface Tables {
  meta: { name: string; value: string };
  accounts: {
    name: string;
    base_url: string;
    bound_at: number;
    seen: number;
    slowest_ms: number;
    /** How the account shows and lists what was sent, JSON; null: nothing is learned yet. */
    habits: string | null;
    /** Why it can't be reached now, JSON; null: it can. */
    trouble: string | null;
  };
  /** Rows of each manifest by state, maintained by triggers. */
  row_counts: { snapshot_id: number; state: RowState; rows: number };
  campaigns: {
    name: string;
    /** Counts changes that concern the whole campaign (accepted submissions, runs); serves as its lock in a transaction. */
    version: number;
    last_run: number;
    /** The newest snapshot that was imported completely, other than correcting sheets: the campaign's main manifest. */
    snapshot_id: number | null;
  };
  snapshots: {
    id: Generated<number>;
    campaign: string;
    hash: string;
    file_hash: string;
    path: string;
    format: string;
    text: string;
    columns: string;
    settings: string;
    entries: number;
    /** 0 until all its entries are stored. */
    complete: number;
    stored_at: number;
  };
  entries: {
    snapshot_id: number;
    position: number;
    line: number;
    key: string;
    account: string;
    profile_id: string;
    platform: string;
    skip: number;
    values: string;
    cells: string;
  };
  submissions: {
    id: Generated<number>;
    campaign: string;
    snapshot_id: number;
    run_id: number;
    options: string;
    by: string;
    at: number;
    /** How far the import is: entries below this position are imported. */
    progress: number;
    /** Rows that a trial has selected so far. */
    selected: number;
    imported_at: number | null;
  };
  /** Rows of a submitted manifest that were left out because of an error. */
  left_out: {
    submission_id: number;
    /** In the manifest, or in its sheet. */
    line: number;
    /** Null: it has no key of its own. */
    key: string | null;
    /** Empty: it has no source. */
    source_hash: string;
  };
  runs: {
    id: Generated<number>;
    campaign: string;
    number: number;
    workflow_id: string;
    workflow_run_id: string | null;
    open: number;
    closed_as: string | null;
    started_by: string;
    started_at: number;
    finished_at: number | null;
    /** Its newest snapshot that was imported completely. */
    snapshot_id: number | null;
    /** The superseded run whose rows still have to be taken over. */
    takes_over: number | null;
    /** Its rows by state when it ended, JSON; null: it is open, was superseded, or ended before this column existed. */
    ended_counts: string | null;
    /** 1 if `set` gave it settings: only then does a claim read them. */
    set_live: Generated<number>;
  };
  channels: {
    id: Generated<number>;
    text_id: string;
    account: string;
    profile_id: string;
    platform: string;
    label: string;
    /** Consecutive rows that ended as failed or rejected since the last success. */
    streak: Generated<number>;
  };
  rows: {
    id: Generated<number>;
    campaign: string;
    account: string;
    profile_id: string;
    platform: string;
    key: string;
    channel_id: number;
    source_hash: string;
    /** The newest imported snapshot that has the row, and its position there. */
    snapshot_id: number;
    position: number;
    line: number;
    /** The accepted entry: the values that are or were sent. */
    entry_snapshot: number;
    entry_position: number;
    /**
     * The values (JSON) from the main manifest that a correcting sheet replaced: a manifest that still has these means
     * the corrected ones. Null: no value of the row was corrected this way.
     */
    replaced_values: string | null;
    accepted_at: number;
    label: string;
    upload: number;
    publish_at: number;
    /** 0: at once. */
    ready_at: number;
    /** The run that processes or ended it; null if it isn't selected. */
    run_id: number | null;
    state: RowState;
    code: string | null;
    message: string | null;
    column_name: string | null;
    attempts: number;
    /** 1 from a claim on, until it is certain that nothing was created. */
    sent: number;
    /** Whether it is cancelled if its create turns out not to have happened, and who asked: model/cancel-asked.ts. */
    cancel_asked: number;
    publication_id: string | null;
    publish_id: string | null;
    status: string | null;
    video_id: string | null;
    video_url: string | null;
    privacy: string | null;
    published_at: string | null;
    candidates: string | null;
    created_at: number | null;
    deadline: number | null;
    ended_at: number | null;
  };
  attempts: {
    row_id: number;
    number: number;
    run_id: number;
    channel_id: number;
    account: string;
    worker_id: string;
    claimed_at: number;
    ended_at: number | null;
    outcome: string | null;
    code: string | null;
    message: string | null;
    http_status: number | null;
    publication_id: string | null;
    publish_id: string | null;
    not_before: number | null;
    /** Only for an attempt that ended as `unknown`: how it was settled. */
    settled_as: string | null;
    settled_at: number | null;
    /** The ledger's sequence number at its claim; null: it was claimed before this column existed. */
    sequence: number | null;
    /** The entry that was sent; null: the row's current one. */
    entry_snapshot: number | null;
    entry_position: number | null;
    /** Hash of the source that was sent; null: it was claimed before this column existed. */
    source_hash: string | null;
    /** 1: the service refused it; it is looked for because the row is to be sent again. */
    refused: Generated<number>;
  };
  /** Scans of the account's list on behalf of an attempt. */
  list_scans: {
    row_id: number;
    attempt: number;
    number: number;
    at: string;
    candidates: string;
    complete: number;
    current: number;
    settled: number;
    /** The service's own time, ms; null: it doesn't show one. */
    served_at: number | null;
  };
  workers: {
    id: string;
    host_id: string;
    boot_id: string;
    pid: number;
    start_time: string;
    registered_at: number;
    seen_at: number;
    /** Set by `worker forget`; null otherwise. */
    forgotten_at: Generated<number | null>;
    forgotten_by: Generated<string | null>;
  };
  publications: {
    account: string;
    publication_id: string;
    row_id: number;
    /** `answer`, `adopted`, `read` or `named`. */
    how: string;
    noted_at: number;
    seen_at: number | null;
    /** The ledger's sequence number when its create was claimed, and when the publication was recorded; null: not known. */
    claimed_sequence: number | null;
    noted_sequence: number | null;
  };
  /** What `set` gave a run: a part of its pace (`layer`, JSON) under each name. */
  run_settings: { run_id: number; name: string; shown: string; layer: string; since: number; by: string };
  /** Channels whose canary rows have succeeded in a run. */
  canaries: { run_id: number; channel_id: number; passed_at: number };
  /** For each scope that was parked: how far its probing is. */
  parkings: {
    scope: string;
    account: string;
    /** Null: the whole account. */
    channel_id: number | null;
    parked_at: number;
    /** The connection as first read after the parking; null: not read yet. */
    connected: string | null;
    probes: number;
    next_probe_at: number;
    opened_at: number | null;
  };
  /** Changes to open runs, and who made them. */
  changes: { id: Generated<number>; run_id: number | null; scope: string; at: number; by: string; what: string };
  /** Decisions that people made about rows. */
  decisions: {
    id: Generated<number>;
    row_id: number;
    kind: string;
    publication_id: string | null;
    by: string;
    at: number;
  };
  /** A single row: the ledger's sequence number. */
  sequence: { value: number };
  /** Publications that no row owned when the ledger was reconciled after a rollback, or when one was suspected. */
  strays: {
    account: string;
    publication_id: string;
    platform: string | null;
    profile_id: string | null;
    title: string | null;
    /** The newest reconciliation that found it, in ms; null: none, so that a person who resumed the account knows it. */
    reconciled_at: number | null;
  };
  gates: { scope: string; kind: string; since: number; by: string; reason: string };
  /** Schedules that this ledger has known; their definitions are in Temporal. */
  schedules: {
    name: string;
    made_at: number;
    by: string;
    paused_at: number | null;
    resumed_at: number | null;
    /** Up to this time, every nominal time has its firing, or a record why it has none. */
    watched_to: number | null;
    deleted_at: number | null;
  };
  /** At most one for each schedule and key: this makes a firing happen only once. */
  firings: {
    id: Generated<number>;
    schedule: string;
    key: string;
    nominal_at: number;
    workflow_id: string | null;
    outcome: FiringOutcome;
    code: string | null;
    reason: string | null;
    submission_id: number | null;
    campaign: string | null;
    run_number: number | null;
    manifest_hash: string | null;
    /** Only for a refused manifest: an accepted one is stored as its snapshot. */
    manifest_text: string | null;
    started_at: number;
    ended_at: number | null;
  };
  /** Nominal times that a person asked to backfill: their firings are never late. */
  backfills: { id: Generated<number>; schedule: string; from_at: number; to_at: number; by: string; at: number };
  baselines: { run_id: number; account: string; taken_at: string; ids: string };
}

export type RowRecord = Omit<Tables['rows'], 'id'> & { id: number };
