import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { buildProgram } from '../../cli/program';

interface Step {
  uses?: string;
  run?: string;
  if?: string;
}

interface Job {
  'runs-on': string | string[];
  steps: Step[];
  env?: Record<string, string>;
  concurrency?: { group: string; 'cancel-in-progress': boolean };
}

const path = join(__dirname, '..', '..', 'docs', 'examples', 'github-actions', 'publish.yml');
const document = parseDocument(readFileSync(path, 'utf8'), { strict: true, uniqueKeys: true });
const { jobs, on } = document.toJS() as { on: Record<string, unknown>; jobs: Record<'check' | 'publish', Job> };
const commands = Object.values(jobs).flatMap(({ steps }) =>
  steps.flatMap(({ run = '' }) => (run.startsWith('reelay ') ? [run] : [])),
);

describe('the workflow for GitHub Actions', () => {
  it('is YAML without errors or warnings, and every step does one thing', () => {
    expect([document.errors, document.warnings]).toEqual([[], []]);
    expect(Object.keys(on)).toEqual(['pull_request', 'push']);
    for (const { steps } of Object.values(jobs))
      for (const step of steps) expect([step.uses, step.run].filter((one) => one !== undefined)).toHaveLength(1);
  });

  it.each(commands)('gives a command that there is, with flags that it has: %s', (line) => {
    const [, name = '', ...words] = line.split(' ');
    const command = buildProgram(async () => undefined, process).commands.find((one) => one.name() === name);
    const flags = words.filter((word) => word.startsWith('--'));
    for (const flag of flags) expect(command?.options.map(({ long }) => long)).toContain(flag);
  });

  it('checks pull requests without the key, and publishes one run at a time on the machine that keeps the ledger', () => {
    expect(JSON.stringify(jobs.check)).not.toMatch(/secrets\.|REELAY_API_KEY/u);
    expect(jobs.publish['runs-on']).toContain('self-hosted');
    expect(jobs.publish.concurrency).toEqual({ group: 'reelay-publish', 'cancel-in-progress': false });
    expect(jobs.publish.env?.REELAY_HOME).toMatch(/^\//u);
    const backup = jobs.publish.steps.find(({ run }) => run?.startsWith('reelay ledger backup') === true);
    expect(backup?.if).toBe('always()');
  });
});
