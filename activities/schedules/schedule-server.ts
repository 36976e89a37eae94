import { type RunRef } from '../../ledger/model/types';
import { type ScheduleDefinition } from './contract';

/** Ranges of one calendar as the server compiled it: every matching number. Weekdays from 0, Sunday. */
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

export interface CurrentSchedule extends Pick<ScheduleDefinition, 'since' | 'born'> {
  /** ms: when the server fires it next; absent if it never does again. */
  nextAt?: number;
}

/** The Temporal functions that firings need. */
export interface ScheduleServer {
  /** The times (ms, ascending) at which the schedule fires in (from, to], the newest 1,000; null if it no longer exists. */
  matchingTimes: (schedule: string, from: number, to: number) => Promise<number[] | null>;
  /** The settings of its next firings; null if the schedule no longer exists. */
  definition: (schedule: string) => Promise<CurrentSchedule | null>;
  /** Null if the schedule no longer exists. */
  calendars: (schedule: string) => Promise<CalendarTimes[] | null>;
  /** Null if the schedule no longer exists. */
  paused: (schedule: string) => Promise<boolean | null>;
  /** Whether a firing's workflow is running. */
  isRunning: (workflowId: string) => Promise<boolean>;
  /** Does nothing if the schedule no longer exists. */
  pause: (schedule: string, note: string) => Promise<void>;
  /** Starts the campaign's workflow or signals the running one. Safe to repeat. */
  startCampaign: (input: { run: RunRef; manifest: { name: string; hash: string }; by: string }) => Promise<void>;
}

/** For a process that handles no schedules: none of them exists. */
export const NO_SCHEDULES: ScheduleServer = {
  matchingTimes: () => Promise.resolve(null),
  definition: () => Promise.resolve(null),
  calendars: () => Promise.resolve(null),
  paused: () => Promise.resolve(null),
  isRunning: () => Promise.resolve(true),
  pause: () => Promise.resolve(),
  startCampaign: () => Promise.resolve(),
};
