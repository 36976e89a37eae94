import { Argument, type Command } from 'commander';
import { type Ledger } from '../../../../ledger/ledger';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../../command';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';

/** Names in the ledger: `channel` and `key` are those of the run that is the command's first argument. */
const LISTED = ['run', 'campaign', 'schedule', 'channel', 'key'] as const;
export type Listed = (typeof LISTED)[number];

/** More than a person reads at a prompt. */
const LIMIT = 100;
/** A prompt doesn't wait longer than this for a busy ledger, ms. */
const BUSY_BOUND_MS = 300;
/** Characters that would start a new line or affect the terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

type Flags = CommandFlags & { of?: string; begins?: string };

/** Names from the ledger for the scripts of `completion`: one per line, and no error messages. */
export function addComplete(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'complete',
    summary: 'Print names from the ledger, for shell completion.',
    examples: ['complete run', 'complete key --of spring --begins ep-'],
    hidden: true,
  })
    .addArgument(new Argument('<what>', 'kind of name').choices(LISTED))
    .option('--of <run>', 'the run whose keys or channels are printed')
    .option('--begins <text>', 'only names that begin with this, as typed at the prompt');
  command.action((what: Listed, flags: Flags) => run(flags, (context) => complete(context, what, flags)));
}

async function complete({ output, flags: shared }: CommandContext, what: Listed, flags: Flags): Promise<ExitCode> {
  const begins = unquoted(flags.begins ?? '');
  // A prompt can't show an error; the command that is run next reports it.
  const names = await namesIn(shared, what, { of: unquoted(flags.of ?? ''), begins }).catch(() => []);
  const shown = [...new Set(names)].filter((name) => name.startsWith(begins) && !CONTROL.test(name));
  await output.data(shown.map((name) => `${name}\n`).join(''));
  return EXIT.ok;
}

async function namesIn(
  shared: CommandFlags,
  what: Listed,
  { of, begins }: { of: string; begins: string },
): Promise<readonly string[]> {
  const [{ loadSettings }, { thisHost }, { openLedger }, { mayExist }] = await Promise.all([
    import('../../../config/settings.js'),
    import('../../../stack/engine.js'),
    import('../../../../ledger/open.js'),
    import('../../../../ledger/model/location.js'),
  ]);
  const { ledger: location } = await loadSettings(shared);
  if (!mayExist(location)) return [];
  const options = { host: await thisHost(), allowRolledBack: true, busyBoundMs: BUSY_BOUND_MS };
  const ledger = await openLedger(location, options);
  try {
    return await NAMES[what](ledger, of, begins);
  } finally {
    await ledger.close();
  }
}

const NAMES: Readonly<Record<Listed, (ledger: Ledger, of: string, begins: string) => Promise<readonly string[]>>> = {
  // A campaign's name stands for its newest run, or for all its runs.
  run: async (ledger) => {
    const runs = await ledger.listRuns({ limit: LIMIT });
    if (runs.length === 0) return [];
    return [...runs.flatMap(({ campaign, number }) => [campaign, `${campaign}.${String(number)}`]), 'latest'];
  },
  campaign: async (ledger) =>
    (await ledger.listRuns({ limit: LIMIT, newestOnly: true })).map(({ campaign }) => campaign),
  schedule: async (ledger) => (await ledger.firings.schedules()).map(({ name }) => name),
  channel: async (ledger, of) =>
    (await ledger.campaignChannels((await runNamed(ledger, of)).campaign)).map(({ label }) => label),
  key: async (ledger, of, prefix) =>
    ledger.keysOf({ campaign: (await runNamed(ledger, of)).campaign, prefix, limit: LIMIT }),
};

async function runNamed(ledger: Ledger, name: string): Promise<{ campaign: string }> {
  const { lookUp } = await import('../../../shared/resolve-run.js');
  const run = await lookUp(ledger, name);
  if (run === null) throw new Error(`no run ${name}`);
  return run;
}

/** A word as it is typed so far: with an opening quote, or with backslashes. */
function unquoted(word: string): string {
  return word.replace(/^["']/, '').replace(/["']$/, '').replace(/\\(.)/g, '$1');
}
