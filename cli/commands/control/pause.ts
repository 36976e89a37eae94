import { type Command } from 'commander';
import { addCommand, type CommandFlags, type Runner } from '../../command';

type Flags = CommandFlags & { channel?: string };

export function addPause(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'pause',
    summary: 'Stop sending until `resume`. What the service has accepted is still followed.',
    examples: ['pause spring', 'pause spring --channel "Garden · long"'],
  })
    .argument('<run>', 'NAME.N, NAME (its newest), latest or a workflow id')
    .option('--channel <channel>', 'only this channel, as `reelay plan` names it')
    .action((name: string, flags: Flags) =>
      run(flags, async (context) => {
        const { changeLive, channelNamed } = await import('./live-change.js');
        return changeLive(context, name, async (ledger, info, by) => {
          const channel = await channelNamed(ledger, info, flags.channel);
          const result = await ledger.pause({ run: info, by, ...(channel === null ? {} : { channelId: channel.id }) });
          const what = channel === null ? 'paused' : `paused channel ${channel.label}`;
          return { result, words: `${what}; nothing more is sent from ${result.at} on`, data: {} };
        });
      }),
    );
}
