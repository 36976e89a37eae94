import { type NextStep } from '../../../wording/next-steps';
import { type Output } from '../output';

/** Commands to copy, each on a line of its own, with its purpose below it. */
export function nextLines(steps: readonly NextStep[]): string[] {
  const lines = steps.flatMap(({ command, what, then }) => [
    `  ${command}`,
    ...(what === '' ? [] : [`      ${what}${then === undefined ? '' : ', then:'}`]),
    ...(then === undefined ? [] : [`  ${then}`]),
  ]);
  return lines.length === 0 ? [] : ['Next:', ...lines];
}

/** Prints them for a person. */
export function printNext(output: Output, steps: readonly NextStep[]): void {
  for (const line of nextLines(steps)) output.note(line);
}

/** A single command without an explanation. */
export function printCommand(output: Output, command: string): void {
  output.note(`  ${command}`);
}
