import { type RunRef } from '../../ledger/model/types';
import { type ScheduleDefinition } from './contract';

/** Ranges of one calendar as the server compiled it: every number that matches. Weekdays from 0, Sunday. */
export interface CalendarTimes {
  seconds: readonly number[];
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  months: readonly number[];
  daysOfWeek: readonly number[];
  /** Empty: every year. */
  years: readonly number[];
}

/** What firings need of Temporal. */
export interface ScheduleServer {
  /** The times (ms, ascending) at which the schedule fires in (from, to], the newest 1,000; null when it is gone. */
  matchingTimes: (schedule: string, from: number, to: number) => Promise<number[] | null>;
  /** What its next firings will do; null when the schedule is gone. */
  definition: (schedule: string) => Promise<Pick<ScheduleDefinition, 'since' | 'born'> | null>;
  /** Null when the schedule is gone. */
  calendars: (schedule: string) => Promise<CalendarTimes[] | null>;
  /** Null when the schedule is gone. */
  paused: (schedule: string) => Promise<boolean | null>;
  /** Whether a firing's workflow goes on. */
  isRunning: (workflowId: string) => Promise<boolean>;
  /** Does nothing when the schedule is gone. */
  pause: (schedule: string, note: string) => Promise<void>;
  /** Starts the campaign's workflow or tells the running one. Safe to repeat. */
  startCampaign: (input: { run: RunRef; manifest: { name: string; hash: string }; by: string }) => Promise<void>;
}

/** For a process that works no schedules: every one of them is gone. */
export const NO_SCHEDULES: ScheduleServer = {
  matchingTimes: () => Promise.resolve(null),
  definition: () => Promise.resolve(null),
  calendars: () => Promise.resolve(null),
  paused: () => Promise.resolve(null),
  isRunning: () => Promise.resolve(true),
  pause: () => Promise.resolve(),
  startCampaign: () => Promise.resolve(),
};
