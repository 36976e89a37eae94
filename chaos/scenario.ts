import { type Arena, type CommandPlace } from './arena/arena';
import { type LedgerFacts, ledgerFacts } from './facts/ledger-facts';
import { type ManifestRow } from './manifest';
import { type SeededRandom } from './random';
import { type Allowed, verdictOf, type ShownRow, type Verdict } from './verdict';
import { waitUntil } from './arena/wait';
import { COMMAND_MS } from './arena/timings';

export const CAMPAIGN = 'chaos';

export interface ScenarioInput {
  /** A folder of its own. */
  folder: string;
  rows: number;
  kills: number;
  random: SeededRandom;
  /** For progress, on stderr. */
  say: (text: string) => void;
}

export interface ScenarioReport extends Verdict {
  rows: number;
  kills: number;
  faults: number;
  lostAnswers: number;
  adopted: number;
  repeated: number;
}

export interface Scenario {
  name: string;
  /** Its share of the requested rows and kills. */
  share: number;
  /** Most of its lost answers must be settled without a person. */
  settles: boolean;
  run: (input: ScenarioInput) => Promise<ScenarioReport | { skipped: string }>;
}

/** Waits for the campaign's run to close. Returns false if it doesn't in time. */
export async function runEnds(ledgerPath: string, ms: number, campaign = CAMPAIGN): Promise<boolean> {
  return waitUntil(ms, () => !ledgerFacts(ledgerPath, campaign).runOpen, 500);
}

/** Reads the results as a user does, and compares them with the service's log. */
export async function conclude(
  arena: Arena,
  input: ScenarioInput,
  done: {
    manifest: readonly ManifestRow[];
    kills: number;
    ended: boolean;
    campaign?: string;
    allowed?: Allowed;
    /** Where its ledger is, if it isn't the arena's file. */
    ledger?: { place: CommandPlace; facts: LedgerFacts };
  },
): Promise<ScenarioReport> {
  const { campaign = CAMPAIGN } = done;
  const faults = (await arena.service.faults())
    .filter(({ rule }) => rule.id !== PACE)
    .reduce((sum, fault) => sum + fault.applied, 0);
  const results = arena.command(['results', campaign, '-o', 'json'], 'commands', done.ledger?.place);
  if ((await results.within(COMMAND_MS)) !== 0) throw new Error('`results` failed');
  const { rows } = JSON.parse(results.stdout) as { rows: ShownRow[] };
  const verdict = verdictOf(done.manifest, rows, await arena.creates(), done.allowed);
  if (!done.ended) verdict.wrong.push('the run did not end in time');
  const { lostAnswers, adopted, repeated } = done.ledger?.facts ?? ledgerFacts(arena.ledgerPath, campaign);
  return {
    ...verdict,
    rows: done.manifest.length,
    kills: done.kills,
    faults,
    ...{ lostAnswers, adopted, repeated },
  };
}

/** The id of the rule that makes every create slow, so that there is time to kill. It breaks nothing. */
export const PACE = 'pace';

export function paceRule(ms: number): string {
  return JSON.stringify({ id: PACE, when: { endpoint: 'create' }, do: { kind: 'slow-answer', ms } });
}

/** How long each create takes (ms), so that 16 at once last about `seconds`. */
export function paceFor(rows: number, seconds: number): number {
  return Math.round(Math.min(Math.max((16_000 * seconds) / rows, 50), 2_500));
}
