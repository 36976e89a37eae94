import { type Command } from 'commander';
import { type Ledger } from '../../../ledger/ledger';
import { type RunInfo } from '../../../ledger/model/types';
import { inReaderZone, machineZone } from '../../../wording/times';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type Summary } from '../../summary/summary';
import { safeText, thousands } from '../../terminal/safe-text';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { limit: string; campaign?: string; runs?: boolean };

export function addList(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'list',
    summary: 'List campaigns with their rows over all runs, the newest run first. In JSON, and with --runs: every run.',
    examples: ['list', 'list --runs', 'list --campaign spring', 'list -o json'],
  })
    .option('--runs', 'one line per run, with the counts of `status NAME.N`')
    .option('--campaign <name>', 'only runs of this campaign')
    .option('--limit <n>', 'maximum number of lines', '20')
    .action((flags: Flags) => run(flags, (context) => list(context, flags)));
}

async function list({ output, flags: shared }: CommandContext, flags: Flags): Promise<ExitCode> {
  const [{ loadSettings }, { openLedgerReadOnly }, { mayExist, placeOf }, { UsageError }] = await Promise.all([
    import('../../config/settings.js'),
    import('../../stack/engine.js'),
    import('../../../ledger/model/location.js'),
    import('../../errors/errors.js'),
  ]);
  if (!/^[1-9]\d{0,8}$/.test(flags.limit))
    throw new UsageError(`--limit: “${flags.limit}” is not a whole number from 1`);
  const settings = await loadSettings(shared);
  /** For compatibility: scripts have always received the runs. */
  const byCampaign = output.isText && flags.runs !== true && flags.campaign === undefined;
  /** Runs with unconfirmed rows. */
  const asking = new Set<string>();
  /** The zones of the campaigns' manifests, where they name one. */
  const zones = new Map<string, string>();
  const shown = mayExist(settings.ledger) ? await read() : [];
  if (output.isText) {
    if (shown.length === 0) {
      const { inSandbox } = await import('../../shared/resolve-run.js');
      const elsewhere = await inSandbox(settings, flags.campaign ?? 'latest');
      const where = `${flags.campaign === undefined ? '' : ` of ${safeText(flags.campaign)}`} in the ledger ${placeOf(settings.ledger)}`;
      output.note(`No runs${where}.${elsewhere === null ? '' : ` ${elsewhere}`}`);
    }
    await show(shown);
    const { placeFlags } = await import('../../terminal/texts/command-text.js');
    const flag = placeFlags(settings.sandbox);
    const unconfirmedRuns = new Map(
      shown.flatMap(({ campaign, id }) => (asking.has(id) ? [[campaign, id] as const] : [])),
    );
    const left = shown.find((run) => run.state === 'no-worker');
    if (left !== undefined)
      output.note(`no-worker: no worker is running for it; \`reelay status ${left.id}${flag}\` shows how to resume it`);
    for (const id of unconfirmedRuns.values())
      output.note(`${id}: unconfirmed rows need a person; \`reelay status ${id}${flag}\` shows the commands`);
  } else if (output.format === 'jsonl') for (const run of shown) await output.json(run);
  else await output.json({ version: 1, runs: shown });
  return EXIT.ok;

  async function read(): Promise<ShownRun[]> {
    const ledger = await openLedgerReadOnly(settings);
    try {
      const { campaign } = flags;
      const runs = await ledger.listRuns({
        limit: Number(flags.limit),
        newestOnly: byCampaign,
        ...(campaign === undefined ? {} : { campaign }),
      });
      const [{ isAttended }, { isPaused, stateOf }, { rowsOf, shownLeftOut }] = await Promise.all([
        import('../../summary/resume-commands.js'),
        import('../../summary/summary.js'),
        import('../../summary/left-out.js'),
      ]);
      const attended = !runs.some((run) => run.open) || (await isAttended(settings, ledger));
      return await Promise.all(
        runs.map(async (run) => {
          const gates = await ledger.gates(run);
          if (run.open && !zones.has(run.campaign)) {
            const zone = await ledger.zoneOf(run.campaign);
            if (zone !== null) zones.set(run.campaign, zone);
          }
          const described = describe(
            run,
            stateOf(run, { attended, gates, left: run.open ? await ledger.openRows(run) : 0 }),
          );
          // As in `status NAME` or `status NAME.N`: a later run may have changed rows since this one ended.
          const view = byCampaign ? { campaign: run.campaign, number: null } : run;
          const counts = await ledger.counts(view);
          if ((counts.unconfirmed ?? 0) > 0) asking.add(described.id);
          const givenUp = (counts.cancelled ?? 0) > 0 ? await ledger.givenUp(view) : 0;
          const leftOut = rowsOf(await shownLeftOut(ledger, view, { home: null }));
          const waiting = run.open ? await waitingOf(ledger, run) : null;
          const paused = isPaused(run, gates);
          const answer = { ...described, paused, counts, ended_counts: run.endedCounts, given_up: givenUp };
          return { ...answer, left_out: leftOut, waiting };
        }),
      );
    } finally {
      await ledger.close();
    }
  }

  async function show(runs: readonly ShownRun[]): Promise<void> {
    if (runs.length === 0 && output.wide !== null) return;
    const [{ countsText }, { stateText }] = await Promise.all([
      import('../../terminal/texts/state-words.js'),
      import('../../summary/verdict.js'),
    ]);
    const rowsText = ({ counts, given_up: givenUp, left_out: left }: ShownRun): string => {
      const text = countsText(counts, undefined, givenUp);
      return left === 0 ? text : `${text} · ${thousands(left)} left out (errors)`;
    };
    // The rows are never cut: a narrow terminal shows less of who and when.
    const { wide } = output;
    await output.table(runs, [
      { title: byCampaign ? 'NEWEST RUN' : 'RUN', value: (run) => run.id, whole: true },
      { title: 'STATE', value: stateText, whole: true },
      { title: 'STARTED', value: (run) => output.cell(run.started_at), from: 110 },
      { title: 'FINISHED', value: (run) => output.cell(run.finished_at), from: 150 },
      { title: 'BY', value: (run) => run.started_by, shrink: true, from: 150 },
      { title: 'ROWS', value: rowsText, wrap: true },
      ...(wide === null ? [{ title: 'WAITS FOR', value: (run: ShownRun) => run.waiting }] : []),
    ]);
    // Below, because the table has no space for it.
    if (wide !== null) for (const run of runs) if (run.waiting !== null) output.note(`${run.id}: ${waitsFor(run)}`);
  }

  /** With times in the zone of its manifest, as in `status`; a zone that isn't the machine's is named. */
  function waitsFor({ campaign, waiting }: ShownRun): string {
    const zone = zones.get(campaign) ?? output.zone;
    const shown = inReaderZone(waiting ?? '', { ...output.clock, zone });
    return shown === (waiting ?? '') || zone === machineZone() ? shown : `${shown} (${zone})`;
  }
}

interface ShownRun extends ReturnType<typeof describe> {
  paused: boolean;
  counts: Readonly<Partial<Record<string, number>>>;
  /** Its rows when it ended; null while it is open, or if that was not stored. */
  ended_counts: Readonly<Partial<Record<string, number>>> | null;
  /** How many of the cancelled rows may be published. */
  given_up: number;
  /** Rows with errors that were left out, and that were not submitted since. */
  left_out: number;
  /** What holds an open run, or what its next row waits for; null: nothing. */
  waiting: string | null;
}

async function waitingOf(ledger: Ledger, run: RunInfo): Promise<string | null> {
  const [{ heldText }, { waitingText }] = await Promise.all([
    import('../../terminal/texts/gate-text.js'),
    import('../../watch/run-health.js'),
  ]);
  const [gates, channels] = await Promise.all([ledger.gates(run), ledger.campaignChannels(run.campaign)]);
  return heldText(gates, channels) ?? (await waitingText(ledger, run));
}

function describe(
  run: RunInfo,
  state: Summary['state'],
): {
  id: string;
  campaign: string;
  number: number;
  state: Summary['state'];
  started_at: string;
  finished_at: string | null;
  started_by: string;
  workflow_id: string;
  manifest: string | null;
} {
  return {
    id: `${run.campaign}.${String(run.number)}`,
    campaign: run.campaign,
    number: run.number,
    state,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    started_by: run.startedBy,
    workflow_id: run.workflowId,
    manifest: run.manifestPath,
  };
}
