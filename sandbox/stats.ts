import { ENDPOINTS, type Endpoint } from './faults/fault-rules';

/** Counts since the start of this process. */
export interface SandboxStats {
  /** Requests by endpoint, refused ones and those a fault hit too. */
  requests: Record<Endpoint, number>;
  /** Requests at no endpoint of the interface. */
  unknown: number;
  /** Requests with a missing or wrong key. */
  unauthorized: number;
  /** Answers sent whole, by status. */
  answers: Record<string, number>;
  /** Connections opened. */
  connections: number;
  /** Creates and direct publishes under way now, and the most at once so far. */
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
