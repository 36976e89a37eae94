import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StackOptions } from '../../../embedded/stack/stack';

/** Below the limit of a test, so that the error says what was waited for. */
const WITHIN_MS = 200_000;

export interface ChildEvent {
  event: string;
  role?: string;
  temporal?: { address: string; namespace: string; webUi: string | null };
  sandbox?: { baseUrl: string; apiKey: string } | null;
  text?: string;
  count?: number;
  name?: string;
  message?: string;
  hint?: string;
}

/** A separate process that opens a stack. */
export class StackChild {
  readonly events: ChildEvent[] = [];
  readonly process: ChildProcess;

  constructor(compiled: string, options: Omit<StackOptions, 'onNotice'>, how: { detached?: boolean } = {}) {
    this.process = fork(join(__dirname, 'open-stack-child.js'), [compiled, JSON.stringify(options)], {
      detached: how.detached ?? false,
      execArgv: [],
    });
    this.process.on('message', (event) => this.events.push(event as ChildEvent));
  }

  get pid(): number {
    return this.process.pid!;
  }

  async event(name: string, timeoutMs = WITHIN_MS): Promise<ChildEvent> {
    await until(
      () => this.events.some((it) => it.event === name || it.event === 'failed'),
      timeoutMs,
      () => `${name} of ${JSON.stringify(this.events)}`,
    );
    return this.events.find((it) => it.event === name) ?? this.events.find((it) => it.event === 'failed')!;
  }

  send(message: 'release' | 'count'): void {
    this.process.send(message);
  }

  async ended(timeoutMs = WITHIN_MS): Promise<void> {
    await until(
      () => this.process.exitCode !== null || this.process.signalCode !== null,
      timeoutMs,
      () => `end of ${this.pid}`,
    );
  }
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = WITHIN_MS,
  what: () => string = () => 'condition',
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what()}`);
    await sleep(25);
  }
}

/** Pids of every process whose command line names the folder (server and keeper name the home's database). */
export function processesNaming(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && existsSync(`/proc/${name}/cmdline`))
    .filter((name) => {
      try {
        const state = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.[0];
        return state !== 'Z' && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The same, without the test's own children that open stacks. */
export function serversNaming(home: string): number[] {
  return processesNaming(join(home, 'temporal.sqlite'));
}
