import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve as absolute } from 'node:path';
import { Kysely } from 'kysely';
import { bindAccount } from './maintenance/account-binding';
import { readBaseline, saveBaseline } from './runs/baselines';
import { disputedRows, needsPerson, resolvable } from './queries/attention';
import { cancel, cancelGated, previewCancel } from './operator/cancel';
import { problemRows } from './queries/problem-rows';
import { campaignChannels, channelConcurrency, channels, createPages, knownProfiles } from './channels/channels';
import { liveChanges } from './runs/changes';
import { createClaim } from './attempts/claim';
import { createEarlier, revive } from './publications/earlier';
import { LedgerOpenError, LedgerOtherHostError, LedgerRolledBackError } from './model/errors';
import { backup, exportRows, ledgerStatus } from './maintenance/keeping';
import { exportFirings } from './schedules/export-firings';
import { knownFiles } from './rows/known-files';
import { createFirings } from './schedules/firings';
import { clearGate, gates, holdOf, setGate } from './gates/gates';
import { createImport } from './submissions/import';
import { type Ledger } from './ledger';
import { cancelsAsked, liveSettings, pause, resume, setLive } from './operator/live';
import { migrate } from './engine/migrations/migrations';
import { unfollowed } from './runs/unfollowed-rows';
import { adopt } from './operator/adopt';
import { directPublishes } from './publications/direct-publishes';
import {
  draftChanges,
  dropPendingDrafts,
  leftDrafts,
  pendingDrafts,
  recordDraftChange,
  replacedDrafts,
} from './submissions/drafts';
import {
  decisionsOf,
  draftRows,
  keyRows,
  noteDeleted,
  noteEdited,
  ownersOf,
  publicationsIn,
  rowsByProfile,
} from './publications/ownership';
import { noteRechecked, requestedOf } from './following/recheck';
import { DIFFERING_CODES, UNCHANGED_CODES } from './model/states';
import { accountTroubles, noteTrouble } from './channels/account-trouble';
import { noteConnected, parkAccount, takeProbes, unpark, wasResumed } from './channels/parkings';
import { countRetry, resolve, retry } from './operator/retry-and-resolve';
import { bindHost, demandLocalDisk, type LedgerHost } from './maintenance/host-binding';
import { acceptedSince, answeredWith, noteSeen, owned, ownerRow, seenInList } from './publications/publications';
import { learnHabits, listHabits } from './publications/list-habits';
import { hasUnsettledBefore, lostAttempts } from './attempts/lost-attempts';
import { createRecord } from './attempts/record';
import { countCoded, counts, givenUp } from './queries/counts';
import { givenFlags } from './submissions/given-flags';
import { columns, createResults, manifestStart } from './queries/results';
import {
  beginRun,
  findRun,
  finishRun,
  hasOpenRows,
  holds,
  listRuns,
  newestRun,
  openRows,
  runIdOf,
  runOfWorkflow,
} from './runs/runs';
import {
  acceptRolledBack,
  markPossiblySent,
  neverClaimed,
  holdIfBehind,
  pauseRolledBack,
  rollbackFacts,
  rolledBackAccounts,
  possiblySent,
} from './maintenance/rolled-back';
import { guardSequence, readSequence, type Safety } from './maintenance/rollback-guard';
import { settle } from './attempts/settle';
import { LibsqlDialect } from './engine/sqlite-dialect';
import { createStore } from './engine/group-commit';
import { type Store } from './engine/store';
import { createSubmissions } from './submissions/submit';
import { type Tables } from './engine/tables';
import { trialOf } from './submissions/trial';
import {
  addScan,
  createAccountOf,
  createFence,
  endDeadAttempt,
  registerWorker,
  unsent,
  unsettled,
  workerSeen,
  lastPulse,
  recentWorkers,
} from './attempts/unsettled';
import { lastSend } from './queries/last-send';
import { unknownStatuses } from './queries/unknown-status';
import { zoneOf } from './queries/zone';
import { inFlight, noteStatus, recordEnds } from './following/watch';

export interface LedgerLocation {
  /** The database's file; its folder is made, readable by its user only. */
  path: string;
}

export interface LedgerOptions {
  /** ms since the epoch. Default: the system's clock. */
  now?: () => number;
  /** How long (ms) a write waits for other processes. Default 120,000. */
  busyBoundMs?: number;
  /** The machine that opens it; a ledger belongs to one. Not checked when left out. */
  host?: LedgerHost;
  /** The ledger was moved to this machine on purpose, and no worker of the other one runs. */
  newHost?: boolean;
  /** Opens a ledger that went back in time too: for looking, and for reconciling it. */
  allowRolledBack?: boolean;
}

/**
 * Opens the ledger, making it or bringing it to this version's tables first.
 * `:memory:` is a ledger of nobody, gone when it is closed.
 * @throws LedgerOpenError when the file can't be opened, isn't a ledger, or was made by a newer version
 * @throws LedgerRolledBackError when the ledger is older than it was
 * @throws LedgerOtherHostError when it belongs to another machine
 */
export async function openLedger(location: LedgerLocation, options: LedgerOptions = {}): Promise<Ledger> {
  const inMemory = location.path === ':memory:';
  const path = inMemory ? location.path : absolute(location.path);
  let db: Kysely<Tables> | undefined;
  try {
    if (!inMemory) makeFile(path);
    const busy = options.busyBoundMs === undefined ? {} : { busyBoundMs: options.busyBoundMs };
    db = new Kysely<Tables>({ dialect: new LibsqlDialect({ path, ...busy }) });
    await migrate(db);
    const { value: id } = await db
      .selectFrom('meta')
      .select('value')
      .where('name', '=', 'id')
      .executeTakeFirstOrThrow();
    const store = createStore(db, options.now ?? Date.now);
    if (inMemory) return assemble(store, id, path, NOT_GUARDED);
    if (options.host) await bindHost(store, options.host, { path, move: options.newHost ?? false });
    const safety = await guardSequence(store, { id, path, allowRolledBack: options.allowRolledBack ?? false });
    return assemble(store, id, path, safety);
  } catch (error) {
    await db?.destroy().catch(() => undefined);
    if (error instanceof LedgerRolledBackError || error instanceof LedgerOtherHostError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LedgerOpenError(`the ledger ${path} can't be opened: ${reason}`, { cause: error });
  }
}

/**
 * Made before SQLite opens it, so that neither it nor the files beside it are ever readable by others. One that is there is
 * never opened past SQLite: closing it would drop the locks of every connection that this process has to it, and the next
 * process to close its own would delete the log under them.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  demandLocalDisk(path);
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

const NOT_GUARDED: Safety = { rolledBack: null, accept: async () => undefined, close: () => undefined };

function assemble(store: Store, id: string, location: string, safety: Safety): Ledger {
  const submissions = createSubmissions(store);
  return {
    id,
    location,
    rolledBack: safety.rolledBack,
    firings: createFirings(store),
    async close() {
      await store.db.destroy();
      safety.close();
    },
    backup: (path) => backup(store, path),
    exportRows: () => exportRows(store),
    exportFirings: () => exportFirings(store),
    knownFiles: (campaign) => knownFiles(store, campaign),
    status: () => ledgerStatus(store),
    sequence: () => readSequence(store),
    pauseRolledBack: (account, input) => pauseRolledBack(store, account, input),
    holdIfBehind: (expected) => holdIfBehind(store, expected),
    rolledBackAccounts: () => rolledBackAccounts(store),
    rollbackFacts: (account) => rollbackFacts(store, account),
    neverClaimed: (account) => neverClaimed(store, account),
    possiblySent: (account) => possiblySent(store, account),
    markPossiblySent: (input) => markPossiblySent(store, input),
    acceptRolledBack: (strays) => acceptRolledBack(store, safety, strays),
    bindAccount: (input) => bindAccount(store, input),
    plan: submissions.plan,
    submit: submissions.submit,
    beginRun: (input) => beginRun(store, input),
    importSubmissions: createImport(store).importSubmissions,
    holds: (run) => holds(store, run),
    finishRun: (run) => finishRun(store, run, () => counts(store, run)),
    findRun: (run) => findRun(store, run),
    newestRun: (campaign) => newestRun(store, campaign),
    runOfWorkflow: (id) => runOfWorkflow(store, id),
    listRuns: (query) => listRuns(store, query),
    zoneOf: (campaign) => zoneOf(store, campaign),
    campaignChannels: (campaign) => campaignChannels(store, campaign),
    channels: (run) => channels(store, run),
    channelConcurrency: (run, channelId) => channelConcurrency(store, run, channelId),
    takePage: createPages(store),
    claim: createClaim(store),
    record: createRecord(store),
    accountOf: createAccountOf(store),
    maySend: createFence(store),
    registerWorker: (worker) => registerWorker(store, worker),
    workerSeen: (workerId) => workerSeen(store, workerId),
    unsettled: (run) => unsettled(store, run),
    unsent: (rowIds) => unsent(store, rowIds),
    hasUnsettledBefore: (account, id) => hasUnsettledBefore(store, account, id),
    lostAttempts: (account, since) => lostAttempts(store, account, since),
    endDeadAttempt: (rowId, attempt) => endDeadAttempt(store, rowId, attempt),
    addScan: (rowId, attempt, scan) => addScan(store, rowId, attempt, scan),
    settle: (rowId, attempt, decision) => settle(store, rowId, attempt, decision),
    saveBaseline: (run, baseline) => saveBaseline(store, run, baseline),
    baseline: (run, account) => readBaseline(store, run, account),
    owned: (account, ids) => owned(store, account, ids),
    answeredWith: (account, ids) => answeredWith(store, account, ids),
    acceptedSince: (input) => acceptedSince(store, input),
    seenInList: (of) => seenInList(store, of),
    directPublishes: (account, since) => directPublishes(store, account, since),
    ownerRow: (account, id) => ownerRow(store.db, account, id),
    ownersOf: (account, ids) => ownersOf(store, account, ids),
    keyRows: (campaign, key) => keyRows(store, campaign, key),
    draftRows: (account) => draftRows(store, account),
    requestedOf: (rowId) => requestedOf(store, rowId),
    publicationsIn: (campaign, states) => publicationsIn(store, campaign, states),
    rowsByProfile: () => rowsByProfile(store),
    decisionsOf: (rowId) => decisionsOf(store, rowId),
    draftChanges: (run) => draftChanges(store, run),
    pendingDrafts: (run) => pendingDrafts(store, run),
    dropPendingDrafts: (run, needed) => dropPendingDrafts(store, run, needed),
    recordDraftChange: (run, change, outcome) => recordDraftChange(store, run, change, outcome),
    replacedDrafts: (rowId) => replacedDrafts(store, rowId),
    leftDrafts: (campaign) => leftDrafts(store, campaign),
    unknownStatuses: (view) => unknownStatuses(store, view),
    unchangedDrafts: (view) => countCoded(store, view, { state: 'drafted', codes: UNCHANGED_CODES }),
    differing: (view) => countCoded(store, view, { state: 'published', codes: DIFFERING_CODES }),
    noteEdited: (input) => noteEdited(store, input),
    noteDeleted: (input) => noteDeleted(store, input),
    noteRechecked: (input) => noteRechecked(store, input),
    adopt: (input) => adopt(store, input),
    listHabits: (account) => listHabits(store, account),
    learnHabits: (account, learned) => learnHabits(store, account, learned),
    noteSeen: (account, ids, at, previousRead) => noteSeen(store, account, ids, at, previousRead),
    inFlight: (run) => inFlight(store, run),
    noteStatus: (rowId, publicationId, status) => noteStatus(store, rowId, publicationId, status),
    recordEnds: (ends) => recordEnds(store, ends),
    setGate: (gate) => setGate(store, gate),
    clearGate: (scope, kind) => clearGate(store, scope, kind),
    gates: (run) => gates(store, run),
    holdOf: (run, channelId) => holdOf(store, run, channelId),
    pause: (input) => pause(store, input),
    resume: (input) => resume(store, input),
    setLive: (input) => setLive(store, input),
    liveSettings: (run) => liveSettings(store, run),
    liveChanges: (run, limit) => liveChanges(store, run, limit),
    takeProbes: (input) => takeProbes(store, input),
    noteConnected: (scope, connected) => noteConnected(store, scope, connected),
    wasResumed: (account, since) => wasResumed(store, account, since),
    parkAccount: (input) => parkAccount(store, input),
    knownProfiles: (account) => knownProfiles(store, account),
    unpark: (input) => unpark(store, input),
    noteTrouble: (account, trouble) => noteTrouble(store, account, trouble),
    accountTroubles: (run) => accountTroubles(store, run),
    cancelsAsked: (rowIds) => cancelsAsked(store, rowIds),
    cancel: (input) => cancel(store, input),
    previewCancel: (input) => previewCancel(store, input),
    cancelGated: (run) => cancelGated(store, run),
    retry: (input) => retry(store, input),
    countRetry: (input) => countRetry(store, input),
    needsPerson: (run, limit) => needsPerson(store, run, limit),
    resolvable: (run) => resolvable(store, run),
    lastSend: (run) => lastSend(store, run),
    lastPulse: () => lastPulse(store),
    recentWorkers: (limit) => recentWorkers(store, limit),
    problemRows: (run, limit) => problemRows(store, run, limit),
    disputed: (run) => disputedRows(store, run),
    unfollowed: (campaign) => unfollowed(store, campaign),
    earlier: createEarlier(store),
    revive: (rowId, found) => revive(store, rowId, found),
    resolve: (input) => resolve(store, input),
    counts: (run) => counts(store, run),
    givenUp: (run) => givenUp(store, run),
    givenFlags: (campaign) => givenFlags(store, campaign),
    trial: (run) => trialOf(store, run),
    hasOpenRows: async (run) => hasOpenRows(store.db, await runIdOf(store.db, run)),
    openRows: async (run) => openRows(store.db, await runIdOf(store.db, run)),
    results: createResults(store),
    manifestStart: (campaign) => manifestStart(store, campaign),
    columns: (run, filter) => columns(store, run, filter),
  };
}
