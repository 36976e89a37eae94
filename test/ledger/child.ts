import { type LedgerLocation } from '../../ledger/model/location';
import { openLedger } from '../../ledger/open';
import { type RunRef } from '../../ledger/model/types';
import { entries, submission, worker } from './support';

// One process of several on the same ledger: `child.ts MODE LOCATION ID [CAMPAIGN]`. Prints a line of JSON for each thing it did.
const [mode = '', place = '', id = '', campaign = 'spring'] = process.argv.slice(2);
const location = JSON.parse(place) as LedgerLocation;
const RUN: RunRef = { campaign, number: 1 };

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

async function work(forget: boolean): Promise<void> {
  const ledger = await openLedger(location);
  await ledger.registerWorker(worker(id));
  for (;;) {
    const [channel] = await ledger.channels(RUN);
    if (!channel) break;
    const page = await ledger.takePage({ run: RUN, channelId: channel.id, limit: 20, now: Date.now() });
    if (page.length === 0) break;
    for (const row of page) {
      const now = Date.now();
      const claim = await ledger.claim({ rowId: row.id, run: RUN, worker: id, now });
      if (!claim.claimed) continue;
      say({
        claimed: row.id,
        at: now,
        attempt: claim.attempt,
        open: await openAttempts(ledger),
      });
      if (forget) continue;
      const publicationId = `pub-${row.id}-${claim.attempt}`;
      await ledger.record(row.id, claim.attempt, { kind: 'accepted', publicationId, status: 'processing' });
      say({ recorded: row.id });
    }
  }
  await ledger.close();
}

async function openAttempts(ledger: Awaited<ReturnType<typeof openLedger>>): Promise<number> {
  return (await ledger.unsettled(RUN)).length;
}

/** Submits and finishes runs in turn, each submission with a key of its own. */
async function race(): Promise<void> {
  const ledger = await openLedger(location);
  for (let round = 0; round < 15; round++) {
    const input = submission(entries(`${id}-${round}`), { campaign: 'race', vanished: 'keep' });
    const { run } = await ledger.submit(input);
    say({ submitted: `${id}-${round}`, run: run.number });
    await ledger.importSubmissions(run);
    await ledger.cancel({ run, keys: [`${id}-${round}`], by: id });
    say({ finished: await ledger.finishRun(run) });
  }
  await ledger.close();
}

async function importLoop(): Promise<void> {
  const ledger = await openLedger(location);
  await ledger.importSubmissions(RUN, { onPage: (imported) => say({ imported }) });
  await ledger.close();
}

const modes: Record<string, () => Promise<void>> = {
  work: () => work(false),
  claim: () => work(true),
  race,
  import: importLoop,
};

void modes[mode]?.().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
