import { type FaultQueue } from './faults/fault-queue';
import { type ResolvedOptions } from './options';
import { type SandboxStats } from './stats';
import { type Store } from './store/store';
import { type Rules } from './routes/validate';
import { type ViewContext } from './routes/views';
import { type Waiting } from './waiting';

/** What the handlers of one running sandbox share. */
export interface Context {
  readonly options: ResolvedOptions;
  readonly store: Store;
  readonly book: FaultQueue;
  readonly rules: Rules;
  readonly stats: SandboxStats;
  readonly waiting: Waiting;
}

export function viewContext(context: Context, shownStatus?: ViewContext['shownStatus']): ViewContext {
  const { open, platforms } = context.options;
  return { open, platforms, now: Date.now(), shownStatus };
}
