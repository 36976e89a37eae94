import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../../command';
import { type ExitCode } from '../../../errors/exit-codes';
import { type Style } from '../../../terminal/output';
import { type Finding, type FindingState } from './finding';

export function addDoctor(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'doctor',
    summary: 'Check every part a run needs and show how to fix what is wrong. Changes nothing.',
    examples: ['doctor', 'doctor --sandbox', 'doctor -o json'],
  }).action((flags: CommandFlags) => run(flags, doctor));
}

const LOOK: Readonly<Record<FindingState, Style>> = { ok: 'green', warning: 'yellow', error: 'red', skipped: 'dim' };

async function doctor({ output, flags }: CommandContext): Promise<ExitCode> {
  const [{ examine }, { exitOf }, { programVersion }, { safeText }] = await Promise.all([
    import('./examine.js'),
    import('./finding.js'),
    import('../../../version.js'),
    import('../../../terminal/safe-text.js'),
  ]);
  const { findings, settings } = await examine(flags, output, programVersion());
  const exit = exitOf(findings);
  if (!output.isText) {
    const checks = findings.map((one) => ({ ...one, message: output.mask(one.message), hint: maskedHint(one) }));
    const shown = checks.map(({ part, state, message, hint }) => ({ part, state, message, hint }));
    if (output.format === 'jsonl') for (const check of shown) await output.event({ event: 'check', ...check });
    await output.json({ version: 1, ok: exit === 0, exit_code: exit, settings, checks: shown });
    return exit;
  }
  if (output.wide === null) {
    await output.table(findings, [
      { title: 'CHECK', value: (one) => one.part },
      { title: 'STATE', value: (one) => one.state },
      { title: 'DETAIL', value: (one) => output.mask(one.message) },
      { title: 'FIX', value: (one) => maskedHint(one) },
    ]);
    return exit;
  }
  const width = Math.max(...findings.map((one) => one.part.length));
  for (const one of findings) {
    const state = output.paint(LOOK[one.state], one.state.padEnd(7), 'out');
    const detail = 11 + width;
    await output.lines([`${state}  ${one.part.padEnd(width)}  ${safeText(output.mask(one.message))}`], detail);
    if (one.hint !== null)
      await output.lines([`${' '.repeat(detail)}→ ${safeText(maskedHint(one) ?? '')}`], detail + 2);
  }
  if (settings.length > 0) {
    await output.lines(['']);
    await output.table(settings, [
      { title: 'SETTING', value: (one) => one.name },
      { title: 'VALUE', value: (one) => output.mask(one.value), shrink: true },
      { title: 'FROM', value: (one) => one.from, shrink: true },
    ]);
  }
  return exit;

  function maskedHint(one: Finding): string | null {
    return one.hint === null ? null : output.mask(one.hint);
  }
}
