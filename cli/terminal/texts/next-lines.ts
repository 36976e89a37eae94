import { type NextStep } from '../../../wording/next-steps';
import { type Output } from '../output';

/** Commands to copy, each a whole line of its own, with what it is for below it. */
export function nextLines(steps: readonly NextStep[]): string[] {
  const lines = steps.flatMap(({ command, what, then }) => [
    `  ${command}`,
    ...(what === '' ? [] : [`      ${what}${then === undefined ? '' : ', then:'}`]),
    ...(then === undefined ? [] : [`  ${then}`]),
  ]);
  return lines.length === 0 ? [] : ['Next:', ...lines];
}

/** Says them to a person. */
export function printNext(output: Output, steps: readonly NextStep[]): void {
  for (const line of nextLines(steps)) output.note(line);
}

/** One command that stands for itself. */
export function printCommand(output: Output, command: string): void {
  output.note(`  ${command}`);
}
