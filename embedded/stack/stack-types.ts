import { type ServerPorts } from '../server/ports';
import { type SandboxStackOptions } from './sandbox-process';

export interface StackOptions {
  /** Folder of the stack: one stack per home at a time. Created if missing. */
  home: string;
  namespace: string;
  /** host:port of a running Temporal; without it, the embedded server is started. */
  temporalAddress?: string;
  sandbox?: SandboxStackOptions | false;
  /** Ports to prefer. @default 7233 and 8233 */
  ports?: ServerPorts;
  /** How long (ms) to wait for an owner that doesn't answer. @default 15,000 */
  silentMs?: number;
  /** Called with whole sentences about what is started, waited for and stopped. */
  onNotice: (text: string) => void;
}

export interface Stack {
  /** `owner`: this process started it and stops it. `attached`: another process does. */
  role: 'owner' | 'attached';
  temporal: { address: string; namespace: string; webUi: string | null };
  sandbox: { baseUrl: string; apiKey: string } | null;
  /** Attached: resolves when the owner has ended. Owner: never. */
  ownerGone: Promise<void>;
  /** Owner: resolves with a sentence if the server or the sandbox ended unexpectedly. Attached: never. */
  broken: Promise<string>;
  /** Owner: how many others are attached. Attached: 0. */
  attachedCount(): number;
  /**
   * Attached: leaves. Owner: waits until the last attached process has left, then stops everything; a second call, or
   * `force`, doesn't wait. May be called any number of times.
   */
  release(how?: { force?: boolean }): Promise<void>;
}
