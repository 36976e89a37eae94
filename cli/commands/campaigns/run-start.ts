import { basename } from 'node:path';
import { type AccountRegistry } from '../../../service/accounts';
import { type Ledger } from '../../../ledger/ledger';
import { type SubmissionInput, type SubmissionResult } from '../../../ledger/model/submission-types';
import { type RunInfo } from '../../../ledger/model/types';
import { type Problem } from '../../../manifests/problems/problems';
import { type Client } from '@temporalio/client';
import { openAccounts, sandboxAddress } from '../../stack/engine';
import { RefusedError } from '../../errors/errors';
import { problemsOf } from '../../errors/explain-error';
import { readOptions, sourceName, type ManifestSource } from '../../submission/manifest-flags';
import { type Output } from '../../terminal/output';
import { problemCounts } from '../../terminal/texts/problems-text';
import { runOf } from '../../shared/resolve-run';
import { type RunEngine } from '../../stack/run-engine';
import { type Settings } from '../../config/settings';
import { lackingFlags } from '../../submission/lacking-flags';
import { fixHint } from '../../submission/sheet-owner';
import {
  acceptInLedger,
  demandAccepted,
  hasFiles,
  prepareManifest,
  type PreparedManifest,
} from '../../submission/submission';
import { type SubmitFlags } from '../../submission/submit-flags';

interface Given {
  source: ManifestSource;
  flags: SubmitFlags;
  settings: Settings;
  output: Output;
}

/** A manifest without errors. */
export interface CheckedCampaign {
  /** Null if it has to be prepared again; removed by the function that submits it. */
  prepared: PreparedManifest | null;
}

/**
 * Reads the manifest and prints the campaign's name, before anything is started. If the service is already running,
 * everything is checked now; the sandbox's profiles are checked only once it runs.
 * @throws RefusedError
 */
export async function checkBeforeStart(given: Given): Promise<CheckedCampaign> {
  const { source, flags, settings, output } = given;
  if (settings.sandbox) {
    const { checkManifest, readManifest } = await import('../../../manifests/read-manifest.js');
    const read = { ...(await readOptions(flags, settings)), allProblems: flags.skipInvalid ?? false };
    // Its rows are read once the sandbox runs.
    const whole = flags.skipInvalid === true ? await readManifest(source, read) : null;
    const reading = whole ?? (await checkManifest(source, read));
    output.note(`SANDBOX Campaign ${output.paint('bold', reading.campaign)}`);
    if (reading.unsettled !== undefined) {
      const { untilFolderSettles } = await import('../../submission/folder-wait.js');
      await untilFolderSettles(reading.unsettled, output);
    }
    let found: readonly Problem[] = reading.problems;
    if (whole !== null) {
      const { partitionRows } = await import('../../../submissions/partition-rows.js');
      const { good, left } = partitionRows(whole, whole.problems);
      if (good.length > 0) found = left;
    }
    const problems = problemsOf(found) ?? [];
    // A past time or a missing file is no error for a row that is done, which only the ledger knows.
    const { countsOnlyToSend } = await import('../../../manifests/problems/problem-codes.js');
    if (found.some(({ severity, code }) => severity === 'error' && !countsOnlyToSend(code))) {
      const lacking = await lackingFlags(reading.campaign, { flags, settings });
      const message = `${sourceName(source)} has ${problemCounts(problems)}; nothing was sent`;
      throw new RefusedError(message, problems, fixHint(source, problems, lacking), reading);
    }
    return { prepared: null };
  }
  const accounts = await openAccounts(settings, await sandboxAddress(settings));
  try {
    const prepared = await prepareManifest({ source, flags, settings, accounts, waiting: output });
    output.note(`Campaign ${output.paint('bold', prepared.reading.campaign)}`);
    demandAccepted(prepared, source, output);
    return { prepared };
  } finally {
    await accounts.close();
  }
}

export interface StartedRun {
  prepared: PreparedManifest;
  result: SubmissionResult;
  info: RunInfo;
  /** It has rows with a local file. */
  files: boolean;
  /** Starts the campaign's workflow, or wakes it. Safe to repeat. */
  signalTemporal: () => Promise<void>;
}

/** Accepts the manifest in the ledger and starts the run. */
export async function startRun(
  given: Given & {
    engine: RunEngine;
    ledger: Ledger;
    accounts: AccountRegistry;
    prepared: PreparedManifest | null;
  },
): Promise<StartedRun> {
  const { source, flags, settings, output, engine, ledger, accounts } = given;
  const prepared = given.prepared ?? (await prepareManifest({ source, flags, settings, accounts }));
  const submission = given.prepared?.input ?? demandAccepted(prepared, source, output);
  const confirm = flags.confirmBaseUrl ?? false;
  const { reading, unread, profiles } = prepared;
  const accepted = { ledger, submission, settings, accounts, reading, unread, profiles, confirm, output };
  const result = await acceptInLedger(accepted);
  if (flags.once !== true) {
    const { warnForgotten } = await import('../schedule/forgotten.js');
    await warnForgotten(output, { client: engine.temporal.client, ledger, source });
  }
  const signalTemporal = campaignSignal(engine.temporal.client, {
    ledger,
    submission,
    result,
    rows: prepared.reading.rows.length,
  });
  await signalTemporal();
  const info = await runOf(ledger, result.run);
  return { prepared, result, info, files: hasFiles(reading), signalTemporal };
}

/**
 * Starts the campaign's workflow, or signals the running one that something was submitted. Keeps none of the rows in
 * memory.
 */
export function campaignSignal(
  client: Client,
  input: { ledger: Ledger; submission: SubmissionInput; result: SubmissionResult; rows: number },
): () => Promise<void> {
  const { ledger, submission, result, rows } = input;
  const { path, fileHash } = submission.snapshot;
  const manifest = { name: basename(path), hash: fileHash };
  const start = { run: result.run, manifest, rows, startedBy: submission.by };
  return async () => {
    const { startCampaignOf } = await import('../../../temporal/campaigns.js');
    await startCampaignOf(client, ledger, start);
  };
}
