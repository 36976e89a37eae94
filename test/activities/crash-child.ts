import Database from 'libsql';
import { createPublications } from '../../activities/publish/create-publications';
import { type Ledger } from '../../ledger/ledger';
import { type RunRef } from '../../ledger/model/types';
import { type ChildPlace, openChild } from './child-deps';

export interface CrashInput extends ChildPlace {
  run: RunRef;
  channelId: string;
  rowId: number;
  /** The process kills itself at this step, by its number or name; 0: never. */
  killAt: number | string;
  /** This many recordings fail before the ledger can be written again. */
  failingRecords: number;
}

// One process that creates one publication and is killed at one step of it. Prints its steps when it comes to its end.
const input = JSON.parse(process.argv[2] ?? '{}') as CrashInput;
const steps: string[] = [];
let counting = false;

function step(name: string): void {
  if (!counting) return;
  steps.push(name);
  if (steps.length === input.killAt || name === input.killAt) process.kill(process.pid, 'SIGKILL');
}

/** A step before and one after each call of each method. */
function stepped<T extends object>(target: T, label: string): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        step(`before ${label}.${String(name)}`);
        const answer = (value as (...args: unknown[]) => unknown).apply(object, args);
        if (!(answer instanceof Promise)) return answer;
        return answer.then((result: unknown) => {
          step(`after ${label}.${String(name)}`);
          return result;
        });
      };
    },
  });
}

/** Every function of an object that the code calls by name through it, in place. */
function stepInPlace(target: object, names: readonly string[], label: string): void {
  const methods = target as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const original = methods[name];
    if (original === undefined) throw new Error(`${label} has no ${name}`);
    methods[name] = function (this: unknown, ...args: unknown[]): unknown {
      const what = typeof args[0] === 'string' && !args[0].includes('/') ? ` ${args[0]}` : '';
      step(`before ${label}.${name}${what}`);
      const answer = original.apply(this, args);
      if (!(answer instanceof Promise)) step(`after ${label}.${name}${what}`);
      return answer;
    };
  }
}

function failing(ledger: Ledger, times: number): Ledger {
  let left = times;
  return {
    ...ledger,
    record: async (rowId, attempt, outcome) => {
      left -= 1;
      if (left >= 0) throw new Error('SQLITE_FULL: database or disk is full');
      return ledger.record(rowId, attempt, outcome);
    },
  };
}

async function main(): Promise<void> {
  // Transactions are begun and committed by exec: a step inside each of them.
  stepInPlace(Database.prototype, ['exec'], 'database');
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the module object itself, as the code calls it
  stepInPlace(require('node:fs/promises') as object, ['open', 'rename', 'rm'], 'files');
  const { ledger, client, deps: plain, context } = await openChild(input);
  const deps = {
    ...plain,
    ledger: stepped(failing(ledger, input.failingRecords), 'ledger'),
    accounts: {
      names: () => ['main'],
      get: () => ({ name: 'main', client: stepped(client, 'service'), exclusive: false, trust429: false }),
    },
    spool: stepped(plain.spool, 'spool'),
  };
  counting = true;
  await createPublications(deps, { run: input.run, channelId: input.channelId, rowIds: [input.rowId] }, context);
  // What the next activity of this worker does first: the spool goes into the ledger.
  await deps.spool.drainInto(deps.ledger, deps.log);
  counting = false;
  await ledger.close();
  process.stdout.write(JSON.stringify(steps));
  process.exit(0);
}

void main();
