import './stand-ins/stand-ins';
import { openSharedLedger } from './stand-ins/ledger';
import { simulate, type Outcome } from './simulation';
import { makeWorld } from './world/make-world';
import { type World } from './world/world';

/** One world to run, given by its seed or as data. */
export type Order = { id: number; seed: number } | { id: number; world: World };

export interface Played {
  id: number;
  /** Without the trace if nothing was broken and it wasn't requested. */
  outcome: Outcome;
}

async function main(): Promise<void> {
  const ledger = await openSharedLedger();
  let before = Promise.resolve();
  process.on('message', (order: Order & { trace?: boolean }) => {
    before = before.then(async () => {
      const world = 'seed' in order ? makeWorld(order.seed) : order.world;
      const outcome = await simulate(world, ledger);
      const trace = outcome.broken !== null || order.trace === true ? outcome.trace : [];
      process.send?.({ id: order.id, outcome: { ...outcome, trace } } satisfies Played);
    });
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
