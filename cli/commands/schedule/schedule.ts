import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { addScheduleFlags, type ScheduleFlags } from './definition/flags';

type Flags = CommandFlags & ScheduleFlags;

const WHAT = ['create', 'list', 'show', 'update', 'pause', 'unpause', 'trigger', 'backfill', 'delete'] as const;

/** What the other commands, or other tools, call these. */
const OTHER_WORDS = new Map([
  ['resume', 'unpause'],
  ['run', 'trigger'],
  ['edit', 'update'],
  ['remove', 'delete'],
]);

export function addSchedule(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'schedule',
    summary: 'Manage schedules, which publish what is new in a manifest again and again.',
    examples: [
      'schedule create weekly show.yaml --cron "0 9 * * 1" --timezone UTC',
      'schedule create drip clips.csv --at "09:00" --timezone UTC --take 2',
      'schedule create weekly show.yaml --at "mon 09:00" --dry-run',
      'schedule list',
      'schedule show weekly',
      'schedule backfill weekly --from 2026-11-01 --to 2026-11-03',
    ],
  })
    .argument('[what]', WHAT.join(', '))
    .argument('[name]', 'the schedule')
    .argument('[manifest]', 'with create and update: a file or an http(s) URL, read again at each firing');
  addScheduleFlags(command).action(
    (what: string | undefined, name: string | undefined, manifest: string | undefined, flags: Flags) =>
      run(flags, async (context) => {
        if (what !== undefined) return schedule(context, { what, name, manifest, flags });
        const { UsageError } = await import('../../errors/errors.js');
        if (!context.output.isText) throw new UsageError('schedule needs an action', `One of: ${WHAT.join(', ')}.`);
        command.outputHelp();
        return EXIT.usage;
      }),
  );
}

async function schedule(
  { output, flags: shared }: CommandContext,
  given: { what: string; name: string | undefined; manifest: string | undefined; flags: Flags },
): Promise<ExitCode> {
  const [{ loadSettings }, { UsageError }, { demandName }, { withSchedules }] = await Promise.all([
    import('../../config/settings.js'),
    import('../../errors/errors.js'),
    import('./definition/definition.js'),
    import('./context.js'),
  ]);
  const { what, manifest, flags } = given;
  const action = WHAT.find((one) => one === what);
  if (action === undefined) {
    const { nearest } = await import('../../terminal/nearest.js');
    const meant = OTHER_WORDS.get(what) ?? nearest(what, WHAT);
    const guess = meant === null ? '' : `Did you mean ${meant}? `;
    throw new UsageError(`“${what}” is not an action of schedule`, `${guess}One of: ${WHAT.join(', ')}.`);
  }
  const name = action === 'list' ? '' : demandName(given.name);
  const settings = await loadSettings(shared);
  const [make, look, change] = await Promise.all([import('./make.js'), import('./show.js'), import('./change.js')]);
  await withSchedules({ output, settings, flags }, async (context) => {
    switch (action) {
      case 'create':
        return make.createSchedule(context, name, manifest);
      case 'update':
        return make.updateSchedule(context, name, manifest);
      case 'list':
        return look.listSchedules(context);
      case 'show':
        return look.showSchedule(context, name);
      case 'pause':
        return change.pauseSchedule(context, name);
      case 'unpause':
        return change.unpauseSchedule(context, name);
      case 'trigger':
        return change.triggerSchedule(context, name);
      case 'backfill':
        return change.backfillSchedule(context, name);
      case 'delete':
        return change.deleteSchedule(context, name);
    }
  });
  return EXIT.ok;
}
