import { type Store } from '../engine/store';
import { adopt } from '../operator/adopt';
import { cancel, previewCancel } from '../operator/cancel';
import { forgetWorker, knownWorkers } from '../operator/forget-worker';
import { liveSettings, pause, resume, setLive } from '../operator/live';
import { resolve } from '../operator/resolve';
import { countRetry, retry } from '../operator/retry';
import { noteDeleted, noteEdited } from '../publications/ownership';
import { liveChanges } from '../runs/changes';
import { bind } from './bind';

/** For decisions that people make; each is committed when it resolves. */
export const operating = (store: Store) =>
  bind(store, {
    pause,
    resume,
    setLive,
    liveSettings,
    liveChanges,
    cancel,
    previewCancel,
    retry,
    countRetry,
    resolve,
    adopt,
    knownWorkers,
    forgetWorker,
    noteEdited,
    noteDeleted,
  });

export interface OperatingLedger extends ReturnType<typeof operating> {}
