import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type LedgerComparison } from '../../../activities/reconcile/reconcile-ledger';
import { type Ledger } from '../../../ledger/ledger';
import { type UnownedPublication } from '../../../ledger/maintenance/rolled-back';
import { mayExist, placeOf } from '../../../ledger/model/location';
import { confirm } from '../../terminal/ask';
import { busy } from '../../terminal/busy';
import { durationText } from '../../terminal/texts/durations';
import {
  connect,
  hideKeys,
  locateTemporal,
  openAccounts,
  openLedgerReadOnly,
  sandboxAddress,
  thisHost,
} from '../../stack/engine';
import { ExitError } from '../../errors/errors';
import { EXIT } from '../../errors/exit-codes';
import { type Output } from '../../terminal/output';
import { openExistingLedger } from '../../shared/resolve-run';
import { printRolledBack } from '../../summary/rolled-back';
import { plural } from '../../terminal/safe-text';
import { type Settings, whoAmI } from '../../config/settings';
import { timingsOf } from '../../config/timings';

interface Given {
  output: Output;
  settings: Settings;
}

export async function showStatus({ output, settings, newHost }: Given & { newHost: boolean }): Promise<void> {
  if (newHost && mayExist(settings.ledger)) {
    const { openLedger } = await import('../../../ledger/open.js');
    const moved = await openLedger(settings.ledger, { host: await thisHost(), newHost, allowRolledBack: true });
    await moved.close();
  }
  const ledger = await openExistingLedger(settings);
  try {
    await printRolledBack(output, ledger);
    const status = await ledger.status();
    const { sequence, campaigns, openRuns, rows, attempts, accounts, workers, host } = status;
    if (output.isText) {
      await output.lines([
        `ledger\t${ledger.id}`,
        `place\t${ledger.location}`,
        `state\t${ledger.rolledBack === null ? 'good' : ledger.rolledBack.lost ? 'lost' : 'rewound'}`,
        `sequence\t${String(sequence)}`,
        `campaigns\t${String(campaigns)} (${plural(openRuns, 'open run')})`,
        `rows\t${String(rows)} (${plural(attempts, 'attempt')})`,
        ...accounts.map((account) => `account\t${account.name} ${account.baseUrl}`),
        `workers\t${String(workers)}`,
        `host\t${host ?? ''}`,
      ]);
    } else {
      await output.json({
        version: 1,
        ledger: ledger.id,
        location: ledger.location,
        rewound: ledger.rolledBack,
        ...{ sequence, campaigns, open_runs: openRuns, rows, attempts, workers, host },
        accounts: accounts.map(({ name, baseUrl }) => ({ name, base_url: baseUrl })),
      });
    }
  } finally {
    await ledger.close();
  }
}

export async function backupTo({ output, settings, file }: Given & { file: string }): Promise<void> {
  const path = resolve(file);
  if (existsSync(path))
    throw new ExitError(
      'file-exists',
      `${path} exists already`,
      EXIT.usage,
      'A backup never overwrites a file; give a new name.',
    );
  const ledger = await openExistingLedger(settings);
  try {
    await ledger.backup(path);
    if (output.isText) await output.lines([path]);
    else await output.json({ version: 1, file: path });
    output.note('To restore it: stop every worker, put it in the ledger’s place, then `reelay ledger reconcile`.');
  } finally {
    await ledger.close();
  }
}

export async function exportTo({ output, settings, file }: Given & { file: string | undefined }): Promise<void> {
  const ledger = await openExistingLedger(settings);
  async function* pieces(): AsyncGenerator<string> {
    for await (const row of ledger.exportRows()) yield `${JSON.stringify(row)}\n`;
    for await (const firing of ledger.exportFirings()) yield `${JSON.stringify(firing)}\n`;
  }
  try {
    if (file === undefined) {
      for await (const piece of pieces()) {
        if (output.closed) break;
        await output.data(piece, 'json');
      }
      return;
    }
    const { writePieces } = await import('../../shared/write-pieces.js');
    await writePieces(resolve(file), pieces());
    output.note(`Wrote ${resolve(file)}`);
  } finally {
    await ledger.close();
  }
}

/** Compares a ledger that was rolled back with the service, then lets it send again. */
export async function reconcile({ output, settings, yes }: Given & { yes: boolean }): Promise<void> {
  await hideKeys(settings, output);
  if (!mayExist(settings.ledger)) {
    throw new ExitError(
      'no-ledger',
      `there is no ledger ${placeOf(settings.ledger)}`,
      EXIT.usage,
      'Put a copy there first.',
    );
  }
  const ledger = await openLedgerReadOnly(settings);
  try {
    if (ledger.rolledBack === null && (await ledger.rolledBackAccounts()).length === 0) {
      if (output.isText) await output.lines(['the ledger was not rolled back: there is nothing to reconcile']);
      else await output.json({ version: 1, reconciled: false });
      return;
    }
    await printRolledBack(output, ledger);
    await confirm({
      output,
      yes,
      question:
        'Read all publications of the account, settle rows that may have been sent, and let the ledger send again? Every worker of it must be stopped.',
    });
    await compare({ output, settings, ledger });
    await endLostRuns({ output, settings, ledger });
  } finally {
    await ledger.close();
  }
}

async function compare({ output, settings, ledger }: Given & { ledger: Ledger }): Promise<void> {
  const accounts = await openAccounts(settings, await sandboxAddress(settings));
  try {
    const { LedgerComparison } = await import('../../../activities/reconcile/reconcile-ledger.js');
    const { AttemptClock, PROCESS_CLOCKS } = await import('../../../activities/reconcile/attempt-clock.js');
    const bound = (await ledger.status()).accounts.map(({ name }) => name);
    // All keys are needed before the first account is changed.
    const connections = (bound.length === 0 ? accounts.names() : bound).map((name) => accounts.get(name));
    const clock = new AttemptClock({ ...PROCESS_CLOCKS, wall: ledger.now });
    const timings = await timingsOf(settings);
    const comparisons = connections.map(
      (connection) => new LedgerComparison({ ledger, connection, timings, clock, now: ledger.now }),
    );
    await lookUntilSettled(output, comparisons);
    if (comparisons.some(({ isFull }) => !isFull)) {
      throw new ExitError(
        'list-moved',
        'the account’s list changed while it was read, so something may have been missed; nothing was changed',
        EXIT.unreachable,
        'Repeat the command while nothing else publishes on the account.',
      );
    }
    let [unowned, adopted, unconfirmed] = [0, 0, 0];
    const strays: UnownedPublication[] = [];
    for (const comparison of comparisons) {
      const found = await comparison.settle(await whoAmI());
      unowned += found.unowned;
      adopted += found.adopted;
      unconfirmed += found.unconfirmed;
      strays.push(...found.strays);
    }
    await ledger.acceptRolledBack(strays);
    if (!output.isText) {
      await output.json({ version: 1, reconciled: true, unowned, adopted, unconfirmed });
      return;
    }
    await output.lines([
      `${plural(unowned, 'publication')} that the ledger did not have: ${plural(adopted, 'row')} found again, ${plural(unconfirmed, 'row')} unconfirmed`,
    ]);
    if (unconfirmed > 0) output.note('`reelay status NAME` of each campaign shows how to settle the unconfirmed ones.');
    if (adopted > 0) output.note('Submit each campaign again, or use `reelay retry RUN`, to follow what was found.');
  } finally {
    await accounts.close();
  }
}

/** Reads the accounts' lists until they prove what was sent, or until the time for that is up. */
async function lookUntilSettled(output: Output, comparisons: readonly LedgerComparison[]): Promise<void> {
  let announced = false;
  for (;;) {
    const waits: number[] = [];
    for (const comparison of comparisons) {
      const forMs = await comparison.look();
      if (forMs !== null) waits.push(forMs);
    }
    if (waits.length === 0) return;
    const forMs = Math.min(...waits);
    if (!announced) {
      output.note(
        `The service may list late what was sent last: its list is read for at least ${durationText(Math.max(...waits))}, and nothing is changed before that. Ctrl-C stops it.`,
      );
      announced = true;
    }
    await busy(output, 'Waiting to read the list again', () => pause(forMs));
  }
}

/**
 * Ends what a lost ledger left open in Temporal. If no Temporal answers, the next `run` of each campaign does the same.
 * In a configured Temporal, runs of other ledgers are left alone: it may be shared with ledgers whose workers aren't
 * running.
 */
async function endLostRuns({ output, settings, ledger }: Given & { ledger: Ledger }): Promise<void> {
  const place = await locateTemporal(settings);
  if (place.nowhere === true || place.configured) return;
  const { endOtherLedgerRun, otherLedgerRuns } = await import('../../../temporal/other-ledger-runs.js');
  let temporal;
  try {
    temporal = await connect(place);
  } catch (error) {
    output.warn(`Temporal was not searched for runs of a lost ledger: ${(error as Error).message}`);
    output.note('Run each campaign’s manifest again: that ends its old run.');
    return;
  }
  try {
    for (const run of await otherLedgerRuns(temporal.client, ledger.id)) {
      if (run.inUse) continue;
      await endOtherLedgerRun(temporal.client, run, ledger.id);
      output.note(`Ended ${run.workflowId}, which the lost ledger ${run.ledgerId} left open in Temporal.`);
    }
  } finally {
    await temporal.close();
  }
}
