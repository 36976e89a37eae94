import { setImmediate } from 'node:timers/promises';
import { type EntryPlace } from '../../ledger/model/attempt-types';
import { type RowState } from '../../ledger/model/states';
import { type RowValues } from '../../ledger/model/types';
import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type SendingLedger } from '../../ledger/interfaces/sending';
import { type UnownedShown } from '../../ledger/attempts/unowned-candidates';
import { normalisedText } from '../compare/normalised-text';
import { compareTitles } from '../compare/title-likeness';
import { contradicts, keepsTitlesExactly, type KnownHabits } from './evidence';

const MAX_CANDIDATES = 20;
/** Titles compared before other work gets its turn: one comparison takes at most some 10 µs. */
const AT_ONCE = 200;

/**
 * Compares a row that is to be sent with the publications that no row owned when the ledger was reconciled. A row that
 * may be one of them becomes `unconfirmed`; `state`: what it is then, null if it can be sent with the values that were
 * `compared`.
 */
export async function compareUnowned(
  ledger: SendingLedger & ReconcilingLedger,
  rowId: number,
): Promise<{ state: RowState } | { state: null; compared: EntryPlace }> {
  const { account, values, accepted, unowned } = await ledger.unownedFor(rowId);
  const habits = await ledger.listHabits(account);
  const found: { id: string; rank: number }[] = [];
  for (const [at, one] of unowned.entries()) {
    const rank = rankOf(values, one, habits);
    if (rank !== null) found.push({ id: one.id, rank });
    if (at % AT_ONCE === AT_ONCE - 1) await setImmediate();
  }
  if (found.length === 0) return { state: null, compared: accepted };
  found.sort((a, b) => a.rank - b.rank);
  const candidates = found.slice(0, MAX_CANDIDATES).map(({ id }) => id);
  return { state: await ledger.askUnowned(rowId, { accepted, candidates }) };
}

/**
 * How likely a publication is the row's, the likeliest first; null: it can't be. Unlike a create whose answer was lost,
 * most rows were never sent. So a distant title excludes a publication, unless the account has shown titles that are
 * distant from those that were sent. A similar one excludes it on an account that has shown each title exactly, unless
 * one of the two contains the other, as if it had been cut or extended.
 */
export function rankOf(values: RowValues, one: Omit<UnownedShown, 'id'>, habits: KnownHabits): number | null {
  if (contradicts(values, one, habits)) return null;
  switch (compareTitles(values.title, one.title)) {
    case 'exact':
      return 0;
    case 'same':
      return 1;
    case 'cut':
      return 2;
    case 'near':
      return keepsTitlesExactly(habits) && !contains(values.title, one.title) ? null : 3;
    case 'unknown':
      return 4;
    case 'far':
      return habits.title.far > 0 ? 5 : null;
  }
}

function contains(sent: string | null, shown: string | null): boolean {
  const [a, b] = [normalisedText(sent ?? ''), normalisedText(shown ?? '')];
  return a.includes(b) || b.includes(a);
}
