import { type Command } from 'commander';
import { type Plan } from '../../ledger/converge';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../command';
import { type ManifestTexts, type ShownProblem } from '../errors';
import { EXIT, type ExitCode } from '../exit-codes';
import { type Output } from '../output';
import { plural } from '../safe-text';
import { addSubmitFlags, type SubmitFlags } from '../submit-flags';

type PlanFlags = CommandFlags & SubmitFlags & { rows?: boolean };

export function addPlan(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'plan',
    summary: 'What a submit would do, with the exact values; writes nothing anywhere.',
    examples: ['plan spring.csv', 'plan spring.csv --rows', 'plan spring.csv -o json'],
  });
  addSubmitFlags(command.argument('<manifest>', 'a YAML or CSV file, or - for standard input'))
    .option('--no-probe', 'don’t look at a few URLs of each host')
    .option('--rows', 'each row with its values')
    .action((manifest: string, flags: PlanFlags) => run(flags, (context) => plan(context, manifest, flags)));
}

async function plan({ output, flags: shared }: CommandContext, manifest: string, flags: PlanFlags): Promise<ExitCode> {
  const [{ loadSettings }, { manifestSource }, { prepareManifest }, engine, { problemsOf }] = await Promise.all([
    import('../settings.js'),
    import('../manifest-flags.js'),
    import('../submission.js'),
    import('../engine.js'),
    import('../explain-error.js'),
  ]);
  const settings = await loadSettings(shared);
  output.hide(await settings.apiKey());
  const accounts = await engine.openAccounts(settings, await engine.serviceAddress(settings));
  const source = await manifestSource(manifest, flags.base);
  const prepared = await prepareManifest({ source, flags, settings, accounts }).finally(() => accounts.close());
  const { input, reading } = prepared;
  const { skipped, rejected } = prepared;
  let problems: ShownProblem[] = [...prepared.problems];
  let planned: Plan | null = null;
  if (input !== null) {
    const ledger = await engine.openForReading(settings);
    try {
      planned = await ledger.plan(input);
    } finally {
      await ledger.close();
    }
    problems = problems.concat(problemsOf(planned.problems) ?? []);
  }
  const ok = !problems.some((problem) => problem.severity === 'error');
  const answer = {
    version: 1,
    ok,
    rows: rejected.length === 0 ? reading.rows.length : goodRows(planned),
    ...(rejected.length === 0 ? {} : { rejected: rejected.length }),
    problems: [...skipped, ...problems],
    not_checked: reading.notChecked,
    actions: planned?.actions ?? {},
    channels: (planned?.channels ?? []).map(({ channel, rows, firstAt, lastAt }) => ({
      channel,
      rows,
      first_at: firstAt,
      last_at: lastAt,
    })),
  };
  if (!output.isText) {
    const { plannedRows } = await import('../planned-rows.js');
    if (planned !== null && input !== null && (flags.rows ?? output.format === 'jsonl')) {
      const rows = await plannedRows(planned, input);
      for (const row of rows) await output.event({ event: 'row', ...row });
      await output.json(output.format === 'json' ? { ...answer, plan: rows } : answer);
    } else await output.json(answer);
  } else
    await showPlan(output, {
      campaign: reading.campaign,
      texts: reading,
      planned,
      problems: answer.problems,
      answer,
      ok,
    });
  if (output.isText && flags.rows && planned !== null && input !== null) {
    const { plannedRows, showPlannedRows } = await import('../planned-rows.js');
    await showPlannedRows(await plannedRows(planned, input), output);
  }
  if (rejected.length > 0) {
    output.note(`${plural(rejected.length, 'row')} with errors would be left out and written to rejected.csv.`);
  }
  return !ok ? EXIT.refused : rejected.length > 0 ? EXIT.failed : EXIT.ok;
}

function goodRows(planned: Plan | null): number {
  return planned?.rows.filter((row) => row.position !== null).length ?? 0;
}

interface ShownPlan {
  campaign: string;
  texts: ManifestTexts;
  planned: Plan | null;
  problems: readonly ShownProblem[];
  answer: { rows: number };
  ok: boolean;
}

async function showPlan(output: Output, shown: ShownPlan): Promise<void> {
  const [{ problemCounts, problemLines }, { plural, thousands }] = await Promise.all([
    import('../problems-text.js'),
    import('../safe-text.js'),
  ]);
  const { planned, problems } = shown;
  output.note(
    `Campaign ${output.paint('bold', shown.campaign)}: ${plural(shown.answer.rows, 'row')}, ${problemCounts(problems)}`,
  );
  for (const line of problemLines(problems, output, shown.texts)) output.note(line);
  if (planned !== null) {
    const actions = Object.entries(planned.actions).filter(([, count]) => count > 0);
    output.note(
      actions.length === 0
        ? 'Nothing to do.'
        : actions.map(([action, count]) => `${thousands(count)} ${action}`).join(' · '),
    );
    if (planned.channels.length > 0) {
      await output.table(planned.channels, [
        { title: 'CHANNEL', value: (row) => row.channel, shrink: true },
        { title: 'ROWS', value: (row) => row.rows, align: 'right' },
        { title: 'FIRST', value: (row) => row.firstAt ?? 'at once' },
        { title: 'LAST', value: (row) => row.lastAt ?? 'at once' },
      ]);
    }
  }
  if (!shown.ok) output.note('A submit would refuse this manifest; nothing would be sent.');
}
