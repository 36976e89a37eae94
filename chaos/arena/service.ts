import { CONTROL_HEADER } from '../../sandbox/routes/control-routes';
import { type FaultState } from '../../sandbox/faults/fault-queue';
import { type LogEntry } from '../../sandbox/store/log-entries';
import { COMMAND_MS } from './timings';

/** The sandbox's control paths, as seen from another process. */
export class ServiceControl {
  constructor(private readonly baseUrl: string) {}

  async addFaults(texts: readonly string[]): Promise<string[]> {
    const { ids } = (await this.ask(
      'POST',
      '/_sandbox/faults',
      texts.map((text) => ({ text })),
    )) as { ids: string[] };
    return ids;
  }

  async clearFault(id: string): Promise<void> {
    await this.ask('DELETE', `/_sandbox/faults/${id}`);
  }

  async faults(): Promise<FaultState[]> {
    return ((await this.ask('GET', '/_sandbox/faults')) as { faults: FaultState[] }).faults;
  }

  /** Another client publishes on the account at intervals. */
  async startInjecting(everyMs: number): Promise<void> {
    await this.ask('POST', '/_sandbox/foreign', { everyMs });
  }

  async accepted(): Promise<number> {
    return ((await this.ask('GET', '/_sandbox/state')) as { accepted: number }).accepted;
  }

  private async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.baseUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(COMMAND_MS),
      headers: { [CONTROL_HEADER]: 'chaos', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

/**
 * The requests that the service accepted, from its log on disk: JSON lines, in order. What follows the last line end is
 * still being written.
 */
export function parseCreates(text: string): LogEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogEntry);
}
