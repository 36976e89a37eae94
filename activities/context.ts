/** What an activity that lasts has of its execution: how it is ended, and how it says that it lives. */
export interface ActivityContext {
  /** Aborted when the activity is cancelled: uploads then stop within seconds. */
  cancelled: AbortSignal;
  /** True once the worker shuts down: nothing more is claimed, what is open ends by itself. */
  shuttingDown: () => boolean;
  heartbeat: (details: unknown) => void;
  pause: (ms: number) => Promise<void>;
}
