import { type Ledger } from '../../ledger/ledger';
import { type Plan, type SubmissionInput, type SubmissionResult } from '../../ledger/model/submission-types';
import { safeText, thousands } from '../terminal/safe-text';

type Problem = Plan['problems'][number];

/** A submission without the rows that a person cancelled. */
interface WithoutCancelled {
  submission: SubmissionInput;
  /** That they stay cancelled is a warning of it. */
  plan: Plan;
  /** How many other rows it sends. */
  others: number;
}

/**
 * What can be sent of a manifest that has rows which a person cancelled: the others. Null: there are no such rows, no
 * others, or the manifest has errors besides.
 */
export async function withoutCancelled(
  ledger: Pick<Ledger, 'plan'>,
  input: SubmissionInput,
  problems: readonly Problem[],
): Promise<WithoutCancelled | null> {
  const cancelled = cancelledOnly(problems);
  if (cancelled === null) return null;
  const submission: SubmissionInput = { ...input, cancelled: 'leave' };
  const plan = await ledger.plan(submission);
  const others = plan.channels.reduce((sum, { rows }) => sum + rows, 0);
  if (others === 0 || plan.problems.some(({ severity }) => severity === 'error')) return null;
  return { submission, plan: { ...plan, problems: [...plan.problems, stayCancelled(cancelled)] }, others };
}

/** What `submit` and `run` do, if no one answers: the plan without the cancelled rows, where others can be sent. */
export async function planOf(ledger: Pick<Ledger, 'plan'>, input: SubmissionInput): Promise<Plan> {
  const plan = await ledger.plan(input);
  return (await withoutCancelled(ledger, input, plan.problems))?.plan ?? plan;
}

/**
 * Submits. Rows that a person cancelled are sent too if that is agreed to; otherwise they stay cancelled, and the others
 * are sent. `agree` asks a person; null: there is none to ask.
 * @throws SubmissionRefusedError, also where there are no others
 */
export async function submitOrAsk(
  ledger: Ledger,
  submission: SubmissionInput,
  agree: ((question: string) => Promise<boolean>) | null,
): Promise<SubmissionResult> {
  try {
    return await ledger.submit(submission);
  } catch (error) {
    const { SubmissionRefusedError } = await import('../../ledger/model/errors.js');
    if (!(error instanceof SubmissionRefusedError)) throw error;
    const cancelled = cancelledOnly(error.problems);
    if (cancelled === null) throw error;
    const without = await withoutCancelled(ledger, submission, error.problems);
    const question =
      without === null
        ? 'Publish what was cancelled?'
        : `${without.others === 1 ? 'The other row is' : `The ${thousands(without.others)} other rows are`} published either way. Publish what was cancelled too?`;
    if (agree !== null && (await agree(`${safeText(cancelled.message)}. ${question}`)))
      return ledger.submit({ ...submission, cancelled: 'send' });
    if (without === null) throw error;
    const result = await ledger.submit(without.submission);
    return { ...result, warnings: [...result.warnings, stayCancelled(cancelled)] };
  }
}

function cancelledOnly(problems: readonly Problem[]): Problem | null {
  const [first, ...more] = problems.filter(({ severity }) => severity === 'error');
  return first?.code === 'rows-cancelled' && more.length === 0 ? first : null;
}

function stayCancelled(cancelled: Problem): Problem {
  const hint = 'they stay cancelled, and the other rows are sent; with --uncancel they are sent too';
  return { ...cancelled, severity: 'warning', hint };
}
