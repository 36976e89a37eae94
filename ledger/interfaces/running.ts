import { campaignChannels, knownProfiles } from '../channels/channels';
import { type Store } from '../engine/store';
import { bindAccount, bindProfiles } from '../maintenance/account-binding';
import { cancelGated } from '../operator/cancel';
import { counts } from '../queries/counts';
import { zoneOf } from '../queries/zone';
import { knownFiles } from '../rows/known-files';
import { hasOpenRows, openRows } from '../runs/open-rows';
import { beginRun } from '../runs/begin-run';
import { holds } from '../runs/read-run';
import { findRun, finishRun, listRuns, newestRun, runOfWorkflow } from '../runs/runs';
import { unfollowed } from '../runs/unfollowed-rows';
import { correctedFlags, correctedManifest } from '../submissions/corrected-manifest';
import { givenFlags, sheetFlags, submittedConfig } from '../submissions/given-flags';
import { importSubmissions } from '../submissions/import';
import { createSubmissions } from '../submissions/submit';
import { trial } from '../submissions/trial';
import { bind } from './bind';

/** For code that begins, fills and ends runs. */
export const running = (store: Store) => ({
  ...createSubmissions(store),
  ...bind(store, {
    importSubmissions,
    beginRun,
    holds,
    findRun,
    newestRun,
    runOfWorkflow,
    listRuns,
    openRows,
    hasOpenRows,
    unfollowed,
    cancelGated,
    trial,
    givenFlags,
    sheetFlags,
    correctedFlags,
    correctedManifest,
    submittedConfig,
    knownFiles,
    knownProfiles,
    campaignChannels,
    zoneOf,
    bindAccount,
    bindProfiles,
  }),
  finishRun: (run: Parameters<typeof finishRun>[1]) => finishRun(store, run, () => counts(store, run)),
});

export interface RunningLedger extends ReturnType<typeof running> {}
