import { lastPulse, recentWorkers } from '../attempts/workers';
import { filesHosts } from '../channels/files-hosts';
import { type Store } from '../engine/store';
import { decisionsOf, draftRows, keyRows, ownersOf, publicationsIn, rowsByProfile } from '../publications/ownership';
import { ownerRow } from '../publications/publications';
import { disputed, needsPerson, resolvable } from '../queries/attention';
import { counts, differing, givenUp, leftOutAsAsked, unchangedDrafts } from '../queries/counts';
import { keptCorrections } from '../queries/kept-corrections';
import { keysOf } from '../queries/keys';
import { leftOut } from '../queries/left-out';
import { lastSend } from '../queries/last-send';
import { problemRows } from '../queries/problem-rows';
import { columns, manifestStart } from '../queries/manifest-columns';
import { createResults } from '../queries/results';
import { draftsChangedBy, rowsByRun } from '../queries/rows-by-run';
import { workedRows } from '../queries/worked-rows';
import { unknownStatuses } from '../queries/unknown-status';
import { bind } from './bind';

/** For everything that people read; changes nothing. */
export const reading = (store: Store) => ({
  results: createResults(store),
  ownerRow: (account: string, publicationId: string) => ownerRow(store.db, account, publicationId),
  ...bind(store, {
    columns,
    manifestStart,
    counts,
    givenUp,
    unchangedDrafts,
    differing,
    leftOutAsAsked,
    disputed,
    needsPerson,
    resolvable,
    problemRows,
    unknownStatuses,
    workedRows,
    filesHosts,
    rowsByRun,
    draftsChangedBy,
    keptCorrections,
    leftOut,
    lastSend,
    lastPulse,
    recentWorkers,
    ownersOf,
    keyRows,
    keysOf,
    draftRows,
    publicationsIn,
    rowsByProfile,
    decisionsOf,
  }),
});

export interface ReadingLedger extends ReturnType<typeof reading> {}
