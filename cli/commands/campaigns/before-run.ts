import { type Output } from '../../terminal/output';
import { type Settings } from '../../config/settings';
import { type PreparedManifest } from '../../submission/submission';
import { type SubmitFlags } from '../../submission/submit-flags';

/**
 * Before anything is started or sent: says until when something has to run, and asks once, where a person is there to answer.
 * @throws ExitError when the answer is not yes
 */
export async function beforeRun(
  { input, reading }: PreparedManifest,
  given: { settings: Settings; flags: SubmitFlags; output: Output },
): Promise<void> {
  if (input === null) return;
  const { settings, flags, output } = given;
  const [{ openForReading }, { publishQuestion, sendTimes, stayOnText }, { confirm, mayAsk }] = await Promise.all([
    import('../../stack/engine.js'),
    import('../../shared/stay-on.js'),
    import('../../terminal/ask.js'),
  ]);
  const ledger = await openForReading(settings);
  const plan = await ledger.plan(input).finally(() => ledger.close());
  // The submit that follows reports what is refused.
  if (plan.problems.some(({ severity }) => severity === 'error')) return;
  const now = Date.now();
  output.zone = reading.settings.timezone ?? output.zone;
  const { zone } = output;
  const stay = await stayOnText(sendTimes(plan, now), { settings, zone, now });
  if (stay !== null) output.note(stay);
  const question = publishQuestion(plan, zone, now);
  if (question !== null && mayAsk()) await confirm({ output, yes: flags.yes ?? false, question });
}
