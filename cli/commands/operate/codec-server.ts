import { type Command } from 'commander';
import { addCommand, collect, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { port?: string; webUi?: readonly string[] };

const PORT = 8888;
/** The usual address of the embedded Temporal's Web UI, by both of its names. */
const USUAL_ORIGINS = ['http://127.0.0.1:8233', 'http://localhost:8233'];

export function addCodecServer(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'codec',
    summary: 'Decrypt payloads for Temporal’s Web UI, on this machine only, until Ctrl-C.',
    examples: ['codec', 'codec --web-ui https://temporal.internal'],
  })
    .option('--port <n>', `port of 127.0.0.1 (default ${String(PORT)})`)
    .option(
      '--web-ui <url>',
      'address of a Web UI that may use it (repeatable; default: the config’s, otherwise the embedded one’s)',
      collect,
    )
    .action((flags: Flags) => run(flags, (context) => codecServer(context, flags)));
}

async function codecServer({ output, flags: shared }: CommandContext, flags: Flags): Promise<ExitCode> {
  const [{ loadSettings }, { aborted, listenForInterrupts }, { ConfigError, UsageError }, { serveCodec }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../../host/interrupts.js'),
      import('../../errors/errors.js'),
      import('../../../temporal/codec-server.js'),
    ]);
  const port = flags.port === undefined ? PORT : Number(flags.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`--port: “${flags.port ?? ''}” is not a port`);
  const settings = await loadSettings(shared);
  const { payloadKeys: keys } = await settings.temporal();
  if (keys === undefined)
    throw new ConfigError(
      'payload-keys',
      'payloads are not encrypted here: there are no keys',
      'Set REELAY_PAYLOAD_KEYS or REELAY_PAYLOAD_KEYS_FILE as for the worker.',
    );
  const named = flags.webUi ?? (settings.webUi === null ? [] : [settings.webUi]);
  const wrong = named.find((url) => !/^https?:/iu.test(url) || !URL.canParse(url));
  if (wrong !== undefined) throw new UsageError(`--web-ui: “${wrong}” is not an http(s) address`);
  const origins = named.length === 0 ? USUAL_ORIGINS : named.map((url) => new URL(url).origin);
  const interrupts = listenForInterrupts();
  const server = await serveCodec({ keys, host: '127.0.0.1', port, origins });
  try {
    output.note(`Codec server at http://127.0.0.1:${String(server.port)} for ${origins.join(', ')}. Ctrl-C stops it.`);
    await aborted(interrupts.signal);
    return EXIT.ok;
  } finally {
    interrupts.release();
    await server.close();
  }
}
