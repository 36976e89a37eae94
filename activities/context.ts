/** The execution context of a long activity: how it is stopped, and how it sends heartbeats. */
export interface ActivityContext {
  /** Aborted when the activity is cancelled: uploads then stop within seconds. */
  cancelled: AbortSignal;
  /** True once the worker shuts down: nothing more is claimed, and open requests finish on their own. */
  shuttingDown: () => boolean;
  heartbeat: (details: unknown) => void;
  pause: (ms: number) => Promise<void>;
}
