import { type FaultBook } from './fault-book';
import { type ResolvedOptions } from './options';
import { type PublicationRecord } from './records';
import { type SandboxStats } from './stats';
import { type Store } from './store';
import { type Rules } from './validate';
import { type ViewContext } from './views';
import { type Waiting } from './waiting';

/** What the handlers of one running sandbox share. */
export interface Context {
  readonly options: ResolvedOptions;
  readonly store: Store;
  readonly book: FaultBook;
  readonly rules: Rules;
  readonly stats: SandboxStats;
  readonly waiting: Waiting;
}

export function viewContext(context: Context, shownStatus?: ViewContext['shownStatus']): ViewContext {
  const { open, platforms } = context.options;
  return { open, platforms, now: Date.now(), shownStatus };
}

/** How many of the records, oldest first, the list shows when it lags: those created up to `until` (ms since 1970). */
export function listedCount(records: readonly PublicationRecord[], until: number): number {
  let end = records.length;
  while (end > 0 && (records[end - 1]?.createdAt ?? 0) > until) end -= 1;
  return end;
}
