import { type Command } from 'commander';
import { addCommand, type CommandFlags, type Runner } from '../../command';

type Flags = CommandFlags & { channel?: string };

export function addResume(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'resume',
    summary: 'Continue what is paused, parked or stopped by its tolerance.',
    examples: ['resume spring', 'resume spring --channel "Garden · long"'],
  })
    .argument('<run>', 'NAME.N, NAME (its newest), latest or a workflow id')
    .option('--channel <channel>', 'only this channel, as `reelay plan` names it')
    .action((name: string, flags: Flags) =>
      run(flags, async (context) => {
        const { changeLive, channelNamed } = await import('./live-change.js');
        return changeLive(context, name, async (ledger, info, by) => {
          const channel = await channelNamed(ledger, info, flags.channel);
          const result = await ledger.resume({ run: info, by, ...(channel === null ? {} : { channelId: channel.id }) });
          const { opened } = result;
          const words =
            opened.length === 0
              ? 'nothing was paused, parked or stopped'
              : `resumed; it had been ${opened.map((gate) => `${gate.kind} since ${gate.since} (${gate.reason})`).join(', ')}`;
          return { result, words, data: {}, changed: opened.length > 0 };
        });
      }),
    );
}
