import { type Command } from 'commander';
import { addCommand, type CommandFlags, type Runner } from '../../command';

export function addSet(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'set',
    summary: 'Change the pace of a running campaign, overriding its manifest.',
    examples: [
      'set spring min_gap=10m',
      'set spring concurrency=4 tolerate=10%',
      'set spring "max_per=15 per 24h, 5 per 1h"',
      'set spring "hours=Mon-Fri 09:00-21:00" timezone=Europe/Berlin',
      'set spring min_gap=                 back to what the manifest says',
    ],
  })
    .argument('<run>', 'NAME.N, NAME (its newest), latest or a workflow id')
    .argument('<settings...>', 'NAME=VALUE: concurrency, min_gap, jitter, max_per, hours, tolerate, canary, …')
    .action((name: string, settings: string[], flags: CommandFlags) =>
      run(flags, async (context) => {
        const [{ changeLive }, { readAssignments }] = await Promise.all([
          import('./live-change.js'),
          import('./live-settings.js'),
        ]);
        const read = await readAssignments(settings);
        return changeLive(context, name, async (ledger, info, by) => {
          const result = await ledger.setLive({
            run: info,
            by,
            settings: read.map(({ name, shown, layer }) => ({ name, shown, layer })),
          });
          const shown = read.map((one) =>
            one.layer === null ? `${one.name} as the manifest says` : `${one.name}=${one.shown}`,
          );
          return {
            result,
            words: `set ${shown.join(', ')}; applies to every row sent from ${result.at} on`,
            data: { settings: Object.assign({}, ...read.map(({ given }) => given)) as object },
          };
        });
      }),
    );
}
