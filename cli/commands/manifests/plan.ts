import { type Command } from 'commander';
import { type Plan, type PlanAction } from '../../../ledger/model/submission-types';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type ManifestTexts, type ShownProblem } from '../../errors/errors';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { FORMATS, type Output } from '../../terminal/output';
import { plural } from '../../terminal/safe-text';
import { timeTitle } from '../../terminal/table';
import { type ManifestSource } from '../../submission/manifest-flags';
import { keepHeapSmall } from '../../shared/small-heap';
import { type Settings } from '../../config/settings';
import { addSubmitFlags, type SubmitFlags } from '../../submission/submit-flags';

type PlanFlags = CommandFlags & SubmitFlags & { rows?: boolean; at?: string };

export function addPlan(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'plan',
    summary: 'Show what a submit would do, with the exact values. Changes nothing.',
    examples: [
      'plan spring.csv',
      'plan spring.csv --rows',
      'plan spring.csv -o json',
      'plan spring.csv -o html > plan.html  a page with a calendar',
      'plan spring.csv -o ics > plan.ics    for a calendar program',
      'plan weekly.yaml --at 2026-12-07  what that firing would do',
    ],
    formats: [...FORMATS, 'html', 'ics'],
  });
  addSubmitFlags(command.argument('<manifest>', 'a YAML, CSV or .xlsx file, its https URL, or - for standard input'))
    .option('--rows', 'show each row with its values')
    .option('--at <time>', 'show what a firing at this nominal time would do, such as 2026-12-07T09:00')
    .action((manifest: string, flags: PlanFlags) => run(flags, (context) => plan(context, manifest, flags)));
}

async function plan(
  { output, flags: shared, argv }: CommandContext,
  manifest: string,
  flags: PlanFlags,
): Promise<ExitCode> {
  keepHeapSmall();
  const [
    { loadSettings },
    { manifestSource },
    { prepareManifest, takeOf },
    engine,
    { serviceForProfiles },
    { problemsOf },
  ] = await Promise.all([
    import('../../config/settings.js'),
    import('../../submission/manifest-flags.js'),
    import('../../submission/submission.js'),
    import('../../stack/engine.js'),
    import('../../stack/brief-sandbox.js'),
    import('../../errors/explain-error.js'),
  ]);
  const settings = await loadSettings(shared);
  await engine.hideKeys(settings, output);
  const source = await manifestSource(manifest, flags.base, settings);
  const { mapExportColumns } = await import('../../submission/export-columns.js');
  await mapExportColumns(source, flags, { settings, output, argv });
  const nominal = await nominalTime(source, flags, settings);
  const service = await serviceForProfiles(settings);
  const accounts = await engine.openAccounts(settings, service.address);
  const prepared = await prepareManifest({
    source,
    flags,
    settings,
    accounts,
    waiting: output,
    ...(nominal === null ? {} : { nominalAt: nominal.at }),
  }).finally(async () => {
    await accounts.close();
    await service.close();
  });
  const { input, reading } = prepared;
  output.zone = reading.settings.timezone ?? output.zone;
  const { skipped, rejected } = prepared;
  let problems: ShownProblem[] = [...prepared.problems];
  let planned: Plan | null = null;
  if (input !== null) {
    const ledger = await engine.openForReading(settings);
    try {
      const { planOf } = await import('../../submission/cancelled-rows.js');
      planned = await planOf(ledger, input);
      const { droppedPaceText } = await import('../../submission/dropped-pace.js');
      const dropped = await droppedPaceText(ledger, input);
      if (dropped !== null) output.warn(dropped);
      const { findForgotten } = await import('../schedule/forgotten.js');
      await findForgotten(output, { settings, ledger, source });
    } finally {
      await ledger.close();
    }
    problems = problems.concat(problemsOf(planned.problems) ?? []);
  }
  const ok = !problems.some((problem) => problem.severity === 'error');
  const answer = {
    version: 1,
    ok,
    ...(nominal === null ? {} : { at: new Date(nominal.at).toISOString() }),
    rows: rejected.length === 0 ? reading.rows.length : goodRows(planned),
    ...(rejected.length === 0 ? {} : { rejected: rejected.length }),
    problems: [...skipped, ...problems],
    // The service and the ledger were consulted; for a manifest with errors they weren't.
    not_checked: planned === null ? reading.notChecked : [],
    actions: planned === null ? {} : chosenActions(planned),
    // For a trial, or a manifest with `take`.
    later: planned === null ? 0 : planned.rows.filter(({ selected }) => !selected).length,
    channels: (planned?.channels ?? []).map(({ channel, label, rows, firstAt, lastAt, late, misses, atOnce }) => ({
      channel,
      label,
      rows,
      first_at: firstAt,
      last_at: lastAt,
      late,
      misses,
      at_once: atOnce,
    })),
  };
  if (nominal !== null) output.note(`As of a firing at ${nominal.shown}:`);
  else if (reading.settings.schedule)
    output.note(
      'A submit creates or updates the schedule and publishes nothing. A firing now, or --once, would do this:',
    );
  if (output.format === 'html' || output.format === 'ics') {
    const { showPlanPage } = await import('./plan-page.js');
    const { campaign } = reading;
    await showPlanPage({ output, settings, campaign, texts: reading, problems: answer.problems, planned, input, ok });
  } else if (!output.isText) {
    const { plannedRows } = await import('./planned-rows.js');
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
      take: takeOf(input),
      ok,
    });
  if (output.isText && ok && planned !== null && input !== null && nominal === null) {
    const { noteStayOn } = await import('../../shared/stay-on.js');
    await noteStayOn(planned, { late: input.snapshot.settings.late, settings, output });
  }
  if (output.isText && flags.rows && planned !== null && input !== null) {
    const { plannedRows, showPlannedRows } = await import('./planned-rows.js');
    await showPlannedRows(await plannedRows(planned, input), output);
  }
  if (output.isText && !flags.rows && ok && answer.rows > 0) output.note('--rows shows each row with its values.');
  if (rejected.length > 0) {
    output.note(`${plural(rejected.length, 'row')} with errors would be left out and written to rejected.csv.`);
  }
  if (!ok && output.isText) {
    const { fixHint } = await import('../../submission/sheet-owner.js');
    const hint = prepared.lacking === null ? null : fixHint(source, problems, prepared.lacking);
    if (hint !== null) output.note(hint);
  }
  return !ok ? EXIT.refused : rejected.length > 0 ? EXIT.failed : EXIT.ok;
}

/** The time of `--at`, in the zone that a schedule of the manifest would have; null without `--at`. */
async function nominalTime(
  source: ManifestSource,
  flags: PlanFlags,
  settings: Settings,
): Promise<{ at: number; shown: string } | null> {
  if (flags.at === undefined) return null;
  const [{ findSettings }, { timeFlag }, { UsageError }, { localTime }] = await Promise.all([
    import('../../../manifests/find-schedule.js'),
    import('../schedule/definition/times.js'),
    import('../../errors/errors.js'),
    import('../../../wording/times.js'),
  ]);
  const own = await findSettings(source);
  const zone = flags.timezone ?? own?.schedule?.timezone ?? own?.timezone ?? settings.timezone ?? undefined;
  if (zone === undefined && !/(z|[+-]\d{2}:?\d{2})$/i.test(flags.at)) {
    throw new UsageError(`--at: “${flags.at}” has no zone`, 'Give --timezone, or write it with an offset.');
  }
  const at = timeFlag('--at', flags.at, zone ?? 'UTC');
  return { at, shown: `${localTime(at, { zone: zone ?? 'UTC', now: Date.now() })} (${zone ?? 'UTC'})` };
}

/** What happens to the selected rows: the others stay for a later submit. */
function chosenActions({ rows }: Plan): Partial<Record<PlanAction, number>> {
  const counts: Partial<Record<PlanAction, number>> = {};
  for (const { action, selected } of rows) if (selected) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

function goodRows(planned: Plan | null): number {
  return planned?.rows.filter((row) => row.position !== null).length ?? 0;
}

function quoted(value: string | null): string {
  return value === null ? '(none)' : `“${value.length > 60 ? `${value.slice(0, 59)}…` : value}”`;
}

/** Rows with errors aren't among the rows, so they are called good where there are errors. */
function rowsText({ answer, problems }: Pick<ShownPlan, 'answer' | 'problems'>): string {
  if (!problems.some(({ severity }) => severity === 'error')) return plural(answer.rows, 'row');
  return plural(answer.rows - (answer.actions.refuse ?? 0), 'good row');
}

interface ShownPlan {
  campaign: string;
  texts: ManifestTexts;
  planned: Plan | null;
  problems: readonly ShownProblem[];
  answer: { rows: number; actions: Partial<Record<PlanAction, number>>; later: number };
  /** With `take` in the manifest. */
  take: number | null;
  ok: boolean;
}

async function showPlan(output: Output, shown: ShownPlan): Promise<void> {
  const [{ problemCounts, problemLines }, { safeText, thousands }, { takeText }, { actionLines }] = await Promise.all([
    import('../../terminal/texts/problems-text.js'),
    import('../../terminal/safe-text.js'),
    import('../../submission/submission.js'),
    import('../../terminal/texts/plan-actions.js'),
  ]);
  const { planned, problems } = shown;
  output.note(`Campaign ${output.paint('bold', shown.campaign)}: ${rowsText(shown)}, ${problemCounts(problems)}`);
  for (const line of problemLines(problems, output, shown.texts)) output.note(line);
  if (planned !== null) {
    const { later } = shown.answer;
    const actions = [
      ...Object.entries(shown.answer.actions),
      ...(later === 0 ? [] : [['left for a later submit', later] as const]),
    ];
    output.note(
      actions.length === 0
        ? 'Nothing to do.'
        : actions.map(([action, count]) => `${thousands(count)} ${action}`).join(' · '),
    );
    for (const line of actionLines(shown.answer.actions)) output.note(line);
    if (shown.take !== null) output.note(takeText(shown.take));
    const changed = planned.rows.filter(({ action }) => action === 'patch');
    for (const { line, key, changes } of changed.slice(0, 20)) {
      const what = (changes ?? []).map(
        ({ field, from, to }) => `${field} ${safeText(quoted(from))} → ${safeText(quoted(to))}`,
      );
      output.note(`  patch row ${String(line)}, key ${safeText(key)}: ${what.join(', ')}`);
    }
    if (changed.length > 20)
      output.note(`  and ${plural(changed.length - 20, 'more draft')} (--rows -o json shows all)`);
    // Refused rows have no send time.
    if (shown.ok && planned.channels.length > 0) {
      await output.table(planned.channels, [
        { title: 'CHANNEL', value: (row) => row.label, shrink: true },
        { title: 'ROWS', value: (row) => row.rows, align: 'right' },
        { title: timeTitle(output, 'FIRST'), value: (row) => output.cell(row.firstAt) ?? 'at once' },
        { title: timeTitle(output, 'LAST'), value: (row) => output.cell(row.lastAt) ?? 'at once' },
        { title: 'LATE', value: (row) => new Set(row.misses.map((one) => one.key)).size, align: 'right' },
      ]);
      const ends = planned.channels.map((channel) => channel.lastAt);
      const last = ends.reduce((a, b) => (a === null ? b : b === null || a > b ? a : b), null);
      const of = planned.kept === null ? '' : ' of this file';
      output.note(
        last === null ? 'All of it can be sent at once.' : `The last row${of} is sent at ${output.time(last)}.`,
      );
    }
  }
  if (!shown.ok) output.note('A submit would refuse this manifest; nothing would be sent.');
}
