import { join } from 'node:path';
import { MAIN } from './arena/arena';
import { Child } from './arena/child';
import { CHAOS_LIMITS, CHAOS_TIMINGS, COMMAND_MS } from './arena/timings';
import { type ShownRow } from './verdict';

/** Where the sandbox of a `run --sandbox` keeps its log, under the scenario's folder. */
export const SANDBOX_CREATES = join('home', 'sandbox', 'service', 'creates.log');

/** `reelay run MANIFEST --sandbox` in a separate folder. */
export class SandboxRun {
  constructor(private readonly folder: string) {}

  get ledgerPath(): string {
    return join(this.folder, 'home', 'sandbox', 'ledger.db');
  }

  start(manifest: string): Child {
    return this.command(['run', manifest, '--sandbox', '-o', 'json']);
  }

  /** @throws Error if the command fails */
  async results(campaign: string): Promise<{ rows: ShownRow[] }> {
    const results = this.command(['results', campaign, '--sandbox', '-o', 'json']);
    if ((await results.within(COMMAND_MS)) !== 0) throw new Error('`results` failed');
    return JSON.parse(results.stdout) as { rows: ShownRow[] };
  }

  private command(args: readonly string[]): Child {
    return new Child({
      args: [MAIN, ...args],
      cwd: this.folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        REELAY_HOME: join(this.folder, 'home'),
        REELAY_TIMINGS: JSON.stringify(CHAOS_TIMINGS),
        REELAY_TIME_LIMITS: JSON.stringify(CHAOS_LIMITS),
      },
      log: join(this.folder, 'run.log'),
    });
  }
}
