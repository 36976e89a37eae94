import { join } from 'node:path';
import { BEHAVIOURS, type BehaviourName, parseBehaviours } from '../../sandbox/behaviours';
import { Arena } from '../arena';
import { FAULTS } from '../faults';
import { writeManifest } from '../manifest';
import { type SeededRandom } from '../random';
import { CAMPAIGN, conclude, runEnds, type Scenario } from '../scenario';

/** Behaviours that one run tries when none are named. */
const CHOSEN = 3;

/** `all`, some names with commas, or as many as one run tries, at random by its seed. @throws SandboxOptionError */
export function chooseBehaviours(text: string | undefined, random: SeededRandom): BehaviourName[] {
  const names = Object.keys(BEHAVIOURS) as BehaviourName[];
  if (text === 'all') return names;
  if (text !== undefined) return parseBehaviours([text]);
  const left = [...names];
  return Array.from({ length: CHOSEN }, () => left.splice(Math.floor(random.next() * left.length), 1)).flat();
}

/** Creates whose answers get lost at a service that shows, lists or answers in a way of its own. */
export function behaviourScenario(behaviour: BehaviourName, share: number): Scenario {
  return {
    name: `a service with the behaviour ${behaviour}`,
    share,
    settles: false,
    run: async (input) => {
      const arena = await Arena.open({ folder: input.folder, echoTitle: true, exclusive: false, behaviour });
      try {
        const path = join(input.folder, `${CAMPAIGN}.csv`);
        const manifest = await writeManifest(path, input.rows);
        await arena.service.addFaults(FAULTS);
        arena.startWorker(0);
        await arena.submit(path);
        const ended = await runEnds(arena.ledgerPath, 240_000);
        return await conclude(arena, input, { manifest, kills: 0, ended });
      } finally {
        await arena.close();
      }
    },
  };
}
