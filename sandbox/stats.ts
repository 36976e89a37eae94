import { ENDPOINTS, type Endpoint } from './faults/fault-rules';

/** Counts since the start of this process. */
export interface SandboxStats {
  /** Requests by endpoint, including refused ones and those that a fault affected. */
  requests: Record<Endpoint, number>;
  /** Requests at no endpoint of the interface. */
  unknown: number;
  /** Requests with a missing or wrong key. */
  unauthorized: number;
  /** Complete answers, by status. */
  answers: Record<string, number>;
  /** Connections opened. */
  connections: number;
  /** Creates and direct publishes in progress now, and the maximum so far. */
  openCreates: number;
  mostOpenCreates: number;
}

export function emptyStats(): SandboxStats {
  return {
    requests: Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, 0])) as Record<Endpoint, number>,
    unknown: 0,
    unauthorized: 0,
    answers: {},
    connections: 0,
    openCreates: 0,
    mostOpenCreates: 0,
  };
}
