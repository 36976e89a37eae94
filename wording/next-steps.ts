import { flagWords, type GivenFlag } from './given-flags';
import { commandText } from './shell';

/** A complete command, and its purpose. */
export interface NextStep {
  command: string;
  what: string;
  /** The command that follows once a person has done what `what` says. */
  then?: string;
}

export interface NextFacts {
  /** `spring` or `spring.3` */
  name: string;
  /** Rows by state. */
  counts: Readonly<Partial<Record<string, number>>>;
  /** The run has rows that have not ended. */
  open: boolean;
  /** A person cancelled the run: what would send its rows again is not suggested. */
  cancelled: boolean;
  /** Kinds of gates that hold rows back: `parked`, `paused`. */
  held: readonly string[];
  /** Flags that every command needs to find the same ledger, with a leading space: ` --sandbox`. */
  place: string;
  /** The flags that a sheet of corrected rows needs besides those of its manifest. */
  given: readonly GivenFlag[];
  /** The manifest is a workbook. */
  workbook?: boolean;
  /** The file for rows to correct, if the usual one already exists. */
  corrected?: string;
  /** Rows whose late answer arrived after their run had ended. */
  late?: number;
  /** Drafts that could not be changed. */
  unchanged?: number;
  /** Rows that were refused after their manifest was accepted: `cancelled`, with the code of the reason. */
  refused?: number;
  /** Published rows that are live but not as requested. */
  differing?: number;
  /** The likeliest command that settles each row which needs a person. */
  settle?: readonly string[];
  /** What resumes an open run for which no worker is running; null: one is. */
  resume?: readonly NextStep[] | null;
}

/** The commands alone, in the order in which they are used. */
export function commandsOf(steps: readonly NextStep[]): string[] {
  return steps.flatMap(({ command, then }) => [command, ...(then === undefined ? [] : [then])]);
}

/** Whether the rows of a manifest are in a workbook. */
export function isWorkbook(manifest: string | null): boolean {
  return /\.xlsx$/iu.test(manifest ?? '');
}

/** The usual file of rows to correct: a workbook where the manifest is one. */
export function correctedFile(workbook = false): string {
  return workbook ? 'corrected.xlsx' : 'corrected.csv';
}

/**
 * What a person can do next, the most urgent first: the only place that decides it for `run`, `status`, `results`, the
 * Web UI and notices. Pure, so that workflows can use it.
 */
export function nextSteps(facts: NextFacts): NextStep[] {
  const {
    name,
    counts,
    open,
    cancelled,
    held,
    place,
    late = 0,
    unchanged = 0,
    refused = 0,
    differing = 0,
    settle = [],
    resume = null,
  } = facts;
  const steps: NextStep[] = [];
  const add = (command: string, what: string): void => {
    steps.push({ command: `reelay ${command}${place}`, what });
  };
  const some = (...states: string[]): string => states.filter((state) => (counts[state] ?? 0) > 0).join(',');
  if (open && !cancelled && held.some((kind) => kind === 'parked' || kind === 'paused'))
    add(`resume ${name}`, 'resumes what is parked or paused, once the reason is fixed');
  if (open) {
    if (resume === null) add(`watch ${name}`, 'follows it in a terminal');
    else steps.push(...resume);
  }
  if (!cancelled) {
    const bad = some('failed', 'rejected');
    if (bad !== '') {
      const { workbook = false, corrected: path = correctedFile(workbook) } = facts;
      const format = workbook ? '' : '-o csv ';
      steps.push({
        command: `reelay results ${name} --state ${bad} ${format}--out ${path}${place}`,
        what: 'writes those rows as a sheet; correct its cells',
        then: correctedCommand(path, facts),
      });
    }
    if (bad !== '' || some('overdue') !== '' || late > 0) add(`retry ${name} --watch`, 'sends them again unchanged');
    if (unchanged > 0)
      add(`results ${name} --state drafted`, 'shows why drafts were not changed; the next submit tries again');
  }
  if (refused > 0)
    add(`results ${name} --state cancelled`, 'shows why rows of the manifest were refused; they are not sent');
  if (differing > 0)
    add(`results ${name} --state published`, 'shows what is live but not as requested; correct it on the channel');
  steps.push(...settle.map((command) => ({ command, what: 'settles a row that needs a person' })));
  const unsettled = some('unconfirmed', 'overdue');
  if (unsettled !== '')
    add(`results ${name} --state ${unsettled}`, 'shows these rows, and the commands that settle unconfirmed ones');
  return steps;
}

/** Runs rows that `results` wrote to a sheet, once they are corrected. */
export function correctedCommand(path: string, { given, place }: Pick<NextFacts, 'given' | 'place'>): string {
  return `${commandText(['run', path, ...flagWords(given)])}${place}`;
}
