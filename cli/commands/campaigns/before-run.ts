import { type Output } from '../../terminal/output';
import { type Settings } from '../../config/settings';
import { type PreparedManifest } from '../../submission/submission';
import { type SubmitFlags } from '../../submission/submit-flags';

/**
 * Before anything is started or sent: shows how long something has to keep running, and asks once, if there is a
 * terminal.
 * @throws ExitError if the answer is not yes
 */
export async function beforeRun(
  { input }: PreparedManifest,
  given: { settings: Settings; flags: SubmitFlags; output: Output },
): Promise<void> {
  if (input === null) return;
  const { settings, flags, output } = given;
  const [{ openForReading }, { planOf }, { noteStayOn, publishQuestion }, { confirm, mayAsk }] = await Promise.all([
    import('../../stack/engine.js'),
    import('../../submission/cancelled-rows.js'),
    import('../../shared/stay-on.js'),
    import('../../terminal/ask.js'),
  ]);
  const ledger = await openForReading(settings);
  const plan = await planOf(ledger, input).finally(() => ledger.close());
  // The submit that follows reports why it is refused.
  if (plan.problems.some(({ severity }) => severity === 'error')) return;
  await noteStayOn(plan, { late: input.snapshot.settings.late, settings, output });
  const question = publishQuestion(plan, output.zone, Date.now());
  if (question !== null && mayAsk()) await confirm({ output, yes: flags.yes ?? false, question });
}
