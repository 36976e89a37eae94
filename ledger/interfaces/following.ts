import { type Store } from '../engine/store';
import { noteRechecked, requestedOf } from '../attempts/recheck';
import { inFlight, noteStatus, recordEnds } from '../attempts/watch';
import { bind } from './bind';

/** For code that follows publications to their ends. */
export const following = (store: Store) =>
  bind(store, { inFlight, noteStatus, recordEnds, requestedOf, noteRechecked });

export interface FollowingLedger extends ReturnType<typeof following> {}
