import { type Counts } from '../../../ledger/model/types';
import { type RowState } from '../../../ledger/model/states';
import { type Style } from '../output';
import { thousands } from '../safe-text';

interface StateWords {
  style: Style;
  meaning: string;
  /** Nothing more happens automatically. */
  ended: boolean;
}

/** Every row state in the order in which people want to see them, with its meaning. */
export const STATE_WORDS: Readonly<Record<RowState, StateWords>> = {
  published: { style: 'green', meaning: 'live', ended: true },
  drafted: { style: 'green', meaning: 'saved as a draft, as requested', ended: true },
  submitted: { style: 'green', meaning: 'acknowledged; its outcome can’t be read', ended: true },
  processing: { style: 'cyan', meaning: 'accepted; the service is working on it', ended: false },
  creating: { style: 'cyan', meaning: 'being sent, or its answer was lost and is being settled', ended: false },
  waiting: { style: 'dim', meaning: 'waits for its time or its channel', ended: false },
  planned: { style: 'dim', meaning: 'not sent yet', ended: false },
  failed: { style: 'red', meaning: 'the service reports that it failed', ended: true },
  rejected: { style: 'red', meaning: 'the service refused the create', ended: true },
  unconfirmed: { style: 'yellow', meaning: 'may have been created; needs a person', ended: true },
  overdue: { style: 'yellow', meaning: 'still processing at the deadline', ended: true },
  cancelled: { style: 'dim', meaning: 'not sent', ended: true },
};

/** Cancelled rows that a person gave up: never to be read as not sent. */
export const GIVEN_UP_MEANING = 'given up by a person; may be live';

/** Drafted rows whose draft still differs from the manifest. */
export const UNCHANGED_MEANING = 'a draft that could not be changed';

/** Of published rows, those that are not live as requested. */
export const DIFFERS_MEANING = 'live, but not as requested';

/** The states of rows that succeeded, unless their code says otherwise. */
export const DONE_STATES: readonly RowState[] = ['published', 'drafted', 'submitted'];

export const STATE_ORDER = Object.keys(STATE_WORDS) as RowState[];

type Paint = (style: Style, text: string) => string;

/** `412 published · 3 failed · 16 processing`. `givenUp`: how many of the cancelled ones may be live. */
export function countsText(counts: Counts, paint?: Paint, givenUp = 0): string {
  return countParts(counts, paint, givenUp).join(' · ');
}

export function countParts(counts: Counts, paint: Paint = (_, text) => text, givenUp = 0): string[] {
  const parts = STATE_ORDER.filter((state) => (counts[state] ?? 0) > 0).map((state) => {
    const more = state === 'cancelled' && givenUp > 0 ? ` (${thousands(givenUp)} given up, may be live)` : '';
    return paint(STATE_WORDS[state].style, `${thousands(counts[state] ?? 0)} ${state}${more}`);
  });
  return parts.length === 0 ? ['no rows yet'] : parts;
}
