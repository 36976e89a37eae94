import { hasUnsettledBefore, lostAttempts } from '../attempts/lost-attempts';
import { settle } from '../attempts/settle';
import { addScan, endDeadAttempt, openAttempts, unsent, unsettled } from '../attempts/unsettled';
import { type Store } from '../engine/store';
import { directPublishes } from '../publications/direct-publishes';
import { learnHabits, listHabits } from '../publications/list-habits';
import { channelsInList, noteSeen, seenInList } from '../publications/sightings';
import { acceptedSince, answeredWith } from '../publications/answered';
import { owned } from '../publications/publications';
import { baseline, hasOwnBaseline, saveBaseline } from '../runs/baselines';
import { bind } from './bind';

/** For settling lost answers: attempts without an answer, what an account's list has shown, and the verdict. */
export const reconciling = (store: Store) =>
  bind(store, {
    unsettled,
    unsent,
    lostAttempts,
    hasUnsettledBefore,
    endDeadAttempt,
    openAttempts,
    addScan,
    settle,
    saveBaseline,
    baseline,
    hasOwnBaseline,
    owned,
    answeredWith,
    acceptedSince,
    seenInList,
    channelsInList,
    directPublishes,
    listHabits,
    learnHabits,
    noteSeen,
  });

export interface ReconcilingLedger extends ReturnType<typeof reconciling> {}
