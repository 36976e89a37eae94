import { writeFile } from 'node:fs/promises';
import { type RunningSandbox } from '../../../sandbox/server';

/** In the configuration of a machine whose creates are held: a create that was answered 429 was not accepted. */
export const TRUST_429 = 'trust_429: true\n';

/** For a machine without other configuration. */
export function trust429(machine: { path: (name: string) => string }): Promise<void> {
  return writeFile(machine.path('reelay.config.yaml'), TRUST_429);
}

/**
 * The service asks creates with these titles to come again later, until the returned function is called: however slow
 * the machine is, their run doesn't end before that. The machine needs `TRUST_429`.
 */
export function holdCreates({ rules }: RunningSandbox, titles: readonly string[]): () => void {
  const any = titles.map((title) => title.replace(/[^\w ]/gu, String.raw`\$&`)).join('|');
  const title = new RegExp(`^(?:${any})$`);
  const id = rules.add({ when: { title }, do: { kind: 'status', status: 429, retryAfter: 1 } });
  return () => void rules.clear(id);
}
