import { type ServerPorts } from '../server/ports';
import { type SandboxStackOptions } from './sandbox-process';

export interface StackOptions {
  /** Folder of the stack: one stack per home at a time. Made when missing. */
  home: string;
  namespace: string;
  /** host:port of a Temporal that runs already; without it, the embedded server is started. */
  temporalAddress?: string;
  sandbox?: SandboxStackOptions | false;
  /** Ports to prefer. @default 7233 and 8233 */
  ports?: ServerPorts;
  /** How long (ms) to wait for an owner that doesn't answer. @default 15,000 */
  silentMs?: number;
  /** Told, in whole sentences, what is started, waited for and stopped. */
  onNotice: (text: string) => void;
}

export interface Stack {
  /** `owner`: this process started it and stops it. `attached`: another process does. */
  role: 'owner' | 'attached';
  temporal: { address: string; namespace: string; webUi: string | null };
  sandbox: { baseUrl: string; apiKey: string } | null;
  /** Attached: resolves when the owner has gone. Owner: never. */
  ownerGone: Promise<void>;
  /** Owner: resolves with a sentence when the server or the sandbox ended by itself. Attached: never. */
  broken: Promise<string>;
  /** Owner: how many others are attached. Attached: 0. */
  attachedCount(): number;
  /**
   * Attached: leaves. Owner: waits until the last attached process has gone, then stops everything; a second call, or
   * `force`, doesn't wait. May be called any number of times.
   */
  release(how?: { force?: boolean }): Promise<void>;
}
