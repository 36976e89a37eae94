import { join } from 'node:path';
import { BEHAVIOURS, type BehaviourName, parseBehaviours } from '../../sandbox/behaviours';
import { Arena } from '../arena/arena';
import { FAULTS } from '../faults';
import { ledgerFacts } from '../facts/ledger-facts';
import { ALLOWED } from '../verdict';
import { rewritableTitle, writeManifest } from '../manifest';
import { type SeededRandom } from '../random';
import { CAMPAIGN, conclude, runEnds, type Scenario, type ScenarioReport } from '../scenario';
import { COMMAND_MS, ENDS_MS } from '../arena/timings';

/** Number of behaviours that one run tries if none are named. */
const CHOSEN = 3;
/** Published at the same time on the same channels; its first rows have the titles of the other campaign's first rows. */
const SECOND = 'chaos-second';
const SECOND_SHARE = 0.25;
/** A person who sees parked channels resumes them after this time (ms), as the summary of a run suggests. */
const RESUME_EVERY_MS = 3_000;

/** `all`, some names separated by commas, or as many as one run tries, chosen by its seed. @throws SandboxOptionError */
export function chooseBehaviours(text: string | undefined, random: SeededRandom): BehaviourName[] {
  const names = Object.keys(BEHAVIOURS) as BehaviourName[];
  if (text === 'all') return names;
  if (text !== undefined) return parseBehaviours([text]);
  const left = [...names];
  return Array.from({ length: CHOSEN }, () => left.splice(Math.floor(random.next() * left.length), 1)).flat();
}

/** Creates whose answers get lost at a service with unusual titles, lists or answers. */
export function behaviourScenario(behaviour: BehaviourName, share: number): Scenario {
  return {
    name: `a service with the behaviour ${behaviour}`,
    share,
    settles: false,
    run: async (input) => {
      const arena = await Arena.open({ folder: input.folder, echoTitle: true, exclusive: false, behaviour });
      try {
        const second = Math.ceil(input.rows * SECOND_SHARE);
        const campaigns = [];
        for (const [campaign, rows] of [
          [CAMPAIGN, input.rows - second],
          [SECOND, second],
        ] as const) {
          const path = join(input.folder, `${campaign}.csv`);
          const written = { name: campaign === SECOND ? 'second-' : '', titleOf: rewritableTitle };
          campaigns.push({ campaign, path, manifest: await writeManifest(path, rows, written) });
        }
        await arena.service.addFaults(FAULTS);
        arena.startWorker(0);
        for (const { path } of campaigns) await arena.submit(path);
        const until = Date.now() + ENDS_MS;
        const reports = [];
        for (const { campaign, manifest } of campaigns) {
          const ended = await endsWithResumes(arena, campaign, until);
          const allowed = { ...ALLOWED, candidatesShown: behaviour !== 'dead-list' };
          reports.push(await conclude(arena, input, { manifest, kills: 0, ended, campaign, allowed }));
        }
        return together(reports);
      } finally {
        await arena.close();
      }
    },
  };
}

/** Waits for the campaign's run to close, and resumes what is parked meanwhile: a refused channel waits for a person. */
async function endsWithResumes(arena: Arena, campaign: string, until: number): Promise<boolean> {
  while (Date.now() < until) {
    if (await runEnds(arena.ledgerPath, Math.min(RESUME_EVERY_MS, until - Date.now()), campaign)) return true;
    if (ledgerFacts(arena.ledgerPath, campaign).parked === 0) continue;
    await arena.command(['resume', campaign]).within(COMMAND_MS);
  }
  return false;
}

/** Of campaigns at one service: its faults are counted once. */
function together(reports: readonly ScenarioReport[]): ScenarioReport {
  const sum = (of: (report: ScenarioReport) => number): number => reports.reduce((total, one) => total + of(one), 0);
  return {
    wrong: reports.flatMap(({ wrong }) => wrong),
    rows: sum(({ rows }) => rows),
    kills: 0,
    faults: Math.max(...reports.map(({ faults }) => faults)),
    lostAnswers: sum(({ lostAnswers }) => lostAnswers),
    adopted: sum(({ adopted }) => adopted),
    repeated: sum(({ repeated }) => repeated),
    duplicates: sum(({ duplicates }) => duplicates),
    lost: sum(({ lost }) => lost),
    unconfirmed: sum(({ unconfirmed }) => unconfirmed),
  };
}
