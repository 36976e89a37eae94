import { Broken } from './broken';
import { type SharedLedger } from '../stand-ins/ledger';
import { type World } from '../world/world';

interface Firing {
  key: string;
  nominal_at: number;
  outcome: string;
  code: string | null;
  workflow_id: string | null;
  submission_id: number | null;
}

const FIRINGS = 'select key, nominal_at, outcome, code, workflow_id, submission_id from firings';
const STRAY = `select id from submissions where "by" like 'schedule %'
  and id not in (select submission_id from firings where submission_id is not null)`;
const ENDED_RUNS = "select campaign, number from runs where closed_as = 'ended'";

/** The state of firings once nothing happens any more. */
export function checkFirings(ledger: SharedLedger, world: World): void {
  const [stray] = ledger.all<{ id: number }>(STRAY);
  if (stray !== undefined) throw new Broken('a firing submits once', `submission ${stray.id} is no firing’s any more`);
  const firings = ledger.all<Firing>(FIRINGS);
  // The next firing ends what was ended in Temporal before it had begun here.
  const isAbandoned = world.commands.some(({ does }) => does === 'terminate-firing' || does === 'cancel-firing');
  for (const firing of firings) {
    const { key, nominal_at: at, outcome, code } = firing;
    const isManual = key.startsWith('manual ');
    const others = firings.filter((one) => one !== firing && !one.key.startsWith('manual '));
    if (!isManual && firing.submission_id !== null && others.some((one) => isAgain(one, at)))
      throw new Broken('a firing submits once', `${key} was submitted twice`);
    if (outcome === 'open' && !isAbandoned) throw new Broken('every firing ends', `${key} is left open`);
    const isReplaced = code === 'replaced' && !others.some((one) => one.nominal_at > at && one.workflow_id !== null);
    if (isReplaced) throw new Broken('no firing is lost', `${key} is ${outcome}, but no later one has begun`);
  }
}

function isAgain({ nominal_at, submission_id }: Firing, at: number): boolean {
  return nominal_at === at && submission_id !== null;
}

/** A notice of every end of a run was delivered to every configured target. */
export function checkNotices(ledger: SharedLedger, { notices, commands }: World, heard: ReadonlySet<string>): void {
  // Notices whose workflow was terminated may be missing (docs/explanation/limits.md).
  if (notices?.neverHeard === true || commands.some(({ does }) => does === 'terminate')) return;
  for (const { campaign, number } of ledger.all<{ campaign: string; number: number }>(ENDED_RUNS)) {
    for (const target of ['command', 'url'] as const) {
      if (notices?.[target] === undefined || heard.has(`${target} ${campaign}.${number}/ended`)) continue;
      throw new Broken('notices arrive', `the ${target} has not heard of the end of ${campaign}.${number}`);
    }
  }
}
