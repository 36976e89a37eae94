import { type Counts } from '../activities/contract';

/** A whole command, and what it is for. */
export interface NextStep {
  command: string;
  what: string;
}

export interface StepFacts {
  counts: Counts;
  /** Rows that have not ended. */
  open: number;
  /** Kinds of what holds channels back: `parked`, `paused`. */
  held: readonly string[];
  /** Drafts that could not be changed. */
  unchanged?: number;
  /** Published rows that are live otherwise than requested. */
  differing?: number;
  sandbox: boolean;
}

/** What a person who reads this in the Web UI can do, the most pressing first. */
export function nextSteps(name: string, facts: StepFacts): NextStep[] {
  const { counts, held } = facts;
  const steps: NextStep[] = [];
  const flag = facts.sandbox ? ' --sandbox' : '';
  const add = (command: string, what: string): void => {
    steps.push({ command: `reelay ${command}${flag}`, what });
  };
  if ((counts.unconfirmed ?? 0) > 0)
    add(`status ${name}`, 'shows what each unconfirmed row may be, and the commands that settle it');
  if (held.includes('parked')) add(`resume ${name}`, 'opens what is parked, once the reason is mended');
  if (held.includes('paused')) add(`resume ${name}`, 'opens what is paused');
  const bad = (['failed', 'rejected'] as const).filter((state) => (counts[state] ?? 0) > 0);
  if (bad.length > 0)
    add(
      `results ${name} --state ${bad.join(',')} -o csv --out mend.csv`,
      'writes those rows as a sheet: mend it, then `reelay run mend.csv`',
    );
  if (bad.length > 0 || (counts.overdue ?? 0) > 0) add(`retry ${name}`, 'tries them again as they are');
  if ((facts.unchanged ?? 0) > 0)
    add(`results ${name} --state drafted`, 'says why drafts were not changed; the next submit tries it again');
  if ((facts.differing ?? 0) > 0)
    add(`results ${name} --state published`, 'shows what is live otherwise than requested: correct it on the channel');
  add(`results ${name}`, 'every row');
  if (facts.open > 0) {
    add(`watch ${name}`, 'follows it in a terminal');
    add(`cancel ${name}`, 'sends nothing more');
  }
  return steps.filter((step, at) => steps.findIndex((one) => one.command === step.command) === at);
}
