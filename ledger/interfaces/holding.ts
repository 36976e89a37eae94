import { accountTroubles, noteTrouble } from '../channels/account-trouble';
import { noteConnected, parkAccount, takeProbes, unpark, wasResumed } from '../channels/parkings';
import { type Store } from '../engine/store';
import { clearGate, gates, holdOf, setGate } from '../runs/gates';
import { bind } from './bind';

/** For code that holds rows back: gates, parked channels and accounts, and the probes that open them again. */
export const holding = (store: Store) =>
  bind(store, {
    gates,
    holdOf,
    setGate,
    clearGate,
    parkAccount,
    unpark,
    wasResumed,
    takeProbes,
    noteConnected,
    noteTrouble,
    accountTroubles,
  });

export interface HoldingLedger extends ReturnType<typeof holding> {}
