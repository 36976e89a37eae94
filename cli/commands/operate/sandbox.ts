import { Option, type Command } from 'commander';
import { addCommand, collect, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type SandboxFlags } from '../../../sandbox/flags';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & SandboxFlags & { serve?: boolean; adopt?: string };

export function addSandbox(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'sandbox',
    summary: 'Run the simulated publishing service, which can inject faults, until Ctrl-C.',
    examples: [
      'sandbox --port 4010',
      'sandbox --port 4010 --profiles 12 --failures 5%',
      'sandbox --port 4010 --behaviour truncates-titles',
      'sandbox --port 4010 --fault "…"    (docs/tasks/sandbox.md)',
    ],
    plain: true,
  })
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <n>', 'port (default: a free one)')
    .option('--dir <folder>', 'where its state is kept (default: in memory)')
    .option('--fsync', 'answer only after the log is on the disk')
    .option('--profiles <n>', 'number of profiles, 1 to 100 (default 3)')
    .option('--seed <n>', 'makes outcomes and times repeatable (default 1)')
    .option('--processing <range>', 'how long publications take, such as 300..1500 or 1s..3s')
    .option('--failures <share>', 'share of publications that fail, such as 0.1 or 10%')
    .option('--fault <rule>', 'a fault to inject (repeatable)', collect)
    .option('--behaviour <name>', 'a behaviour of the service, such as echo or short-pages (repeatable)', collect)
    .option('--open <choice>', 'a choice that the interface leaves open (repeatable)', collect)
    .option('--foreign <duration>', 'another client publishes on the account at this interval')
    .option('--platform <role=name>', 'wire name of a platform: short=, long= or photo= (repeatable)', collect)
    .addOption(new Option('--adopt <file>', 'profiles of a real service, as `init` keeps them').hideHelp())
    .addOption(new Option('--serve', 'as a child process: ends when standard input closes').hideHelp())
    .action((flags: Flags) => run(flags, (context) => sandbox(context, flags)));
}

async function sandbox({ output }: CommandContext, flags: Flags): Promise<ExitCode> {
  const { optionsFromFlags } = await import('../../../sandbox/flags.js');
  const options = optionsFromFlags(flags);
  const { adopt } = flags;
  if (adopt !== undefined) {
    const { adoptedFrom } = await import('../../stack/brief-sandbox.js');
    options.adopted = await adoptedFrom(adopt);
  }
  if (flags.serve) {
    const { runSandboxProcess } = await import('../../../sandbox/process.js');
    await runSandboxProcess(options);
    return EXIT.ok;
  }
  const [{ startSandbox }, { aborted, listenForInterrupts }] = await Promise.all([
    import('../../../sandbox/server.js'),
    import('../../../host/interrupts.js'),
  ]);
  const interrupts = listenForInterrupts();
  const running = await startSandbox(options);
  try {
    const { baseUrl, apiKey } = running;
    if (output.isText) {
      await output.lines([`REELAY_BASE_URL=${baseUrl}`, `REELAY_API_KEY=${apiKey}`]);
    } else await output.json({ version: 1, baseUrl, apiKey });
    output.note(`SANDBOX listens on ${baseUrl}. Ctrl-C stops it.`);
    await aborted(interrupts.signal);
    return EXIT.ok;
  } finally {
    await running.close();
    interrupts.release();
  }
}
