import { createClaim } from '../attempts/claim';
import { createRecord } from '../attempts/record';
import { registerWorker, workerSeen } from '../attempts/workers';
import { createAccountOf, createFence } from '../attempts/unsettled';
import { createPages } from '../channels/pages';
import { channelConcurrency, channels } from '../channels/channels';
import { type Store } from '../engine/store';
import { cancelsAsked } from '../operator/live';
import { askAboutDraft, createEarlier, revive } from '../publications/earlier';
import {
  draftChanges,
  dropPendingDrafts,
  leftDrafts,
  pendingDrafts,
  recordDraftChange,
  replacedDrafts,
} from '../submissions/drafts';
import { askUnowned, unownedFor } from '../attempts/unowned-candidates';
import { bind } from './bind';

/** For code that sends: the next rows of a channel, the claim, the record of the outcome, and drafts to be changed. */
export const sending = (store: Store) => ({
  takePage: createPages(store),
  claim: createClaim(store),
  maySend: createFence(store),
  record: createRecord(store),
  accountOf: createAccountOf(store),
  earlier: createEarlier(store),
  ...bind(store, {
    revive,
    askAboutDraft,
    channels,
    channelConcurrency,
    cancelsAsked,
    registerWorker,
    workerSeen,
    draftChanges,
    recordDraftChange,
    pendingDrafts,
    dropPendingDrafts,
    replacedDrafts,
    leftDrafts,
    unownedFor,
    askUnowned,
  }),
});

export interface SendingLedger extends ReturnType<typeof sending> {}
