import { type Endpoint, type FaultAction, type FaultRule, checkFaultRule } from './fault-rules';
import { parseFaultText } from './fault-text';
import { SandboxOptionError } from '../problem';
import { seededRandom } from '../random';

/** What is known about a request when a rule is tried on it. */
export interface RequestFacts {
  endpoint: Endpoint;
  title?: string | null;
  platform?: string;
  profileId?: string | null;
  /** The id in the path. */
  id?: string;
}

/** When a rule acts: before the body is read, while it is read, or once the request is understood. */
export type FaultPhase = 'early' | 'body' | 'request';

interface Entry {
  readonly id: string;
  readonly rule: FaultRule;
  readonly phase: FaultPhase;
  readonly number: number;
  readonly title: RegExp | null;
  /** Requests that matched the condition, by item (or '' for all). */
  readonly seen: Map<string, number>;
  fitted: number;
  applied: number;
}

/** The current state of a rule. */
export interface FaultState {
  id: string;
  rule: FaultRule;
  /** How often it has applied so far. */
  applied: number;
}

/** The active rules and their counters. Rules added later don't affect the counters of earlier ones. */
export class FaultQueue {
  readonly #seed: number;
  #entries: Entry[] = [];
  #added = 0;

  constructor(seed: number, rules: readonly (FaultRule | string)[] = []) {
    this.#seed = seed;
    for (const rule of rules) this.add(rule);
  }

  /**
   * Adds a rule, given as data or as text (see parseFaultText); returns its id.
   * @throws SandboxOptionError if it can't be parsed.
   */
  add(given: FaultRule | string): string {
    const rule = typeof given === 'string' ? parseFaultText(given) : checkFaultRule(given, JSON.stringify(given));
    const title = rule.when?.title === undefined ? null : titlePattern(rule.when.title);
    this.#added += 1;
    const id = rule.id ?? `fault-${String(this.#added)}`;
    const phase = phaseOf(rule.do);
    const entry: Entry = { id, rule, phase, number: this.#added, title, seen: new Map(), fitted: 0, applied: 0 };
    this.#entries = [...this.#entries.filter((other) => other.id !== id), entry];
    return id;
  }

  /** Removes one rule, or all; returns how many were removed. */
  clear(id?: string): number {
    const before = this.#entries.length;
    this.#entries = id === undefined ? [] : this.#entries.filter((entry) => entry.id !== id);
    return before - this.#entries.length;
  }

  list(): FaultState[] {
    return this.#entries.map(({ id, rule, applied }) => ({ id, rule, applied }));
  }

  /** The faults of this phase that apply to a request, in the order in which the rules were added. Counts the request. */
  match(phase: FaultPhase, facts: RequestFacts): FaultAction[] {
    if (this.#entries.length === 0) return [];
    const actions: FaultAction[] = [];
    for (const entry of this.#entries) {
      if (entry.phase === phase && fits(entry, facts) && this.#due(entry, facts)) {
        entry.applied += 1;
        actions.push(entry.rule.do);
      }
    }
    return actions;
  }

  #due(entry: Entry, facts: RequestFacts): boolean {
    const when = entry.rule.when ?? {};
    const item = when.per === 'item' ? (facts.id ?? facts.title ?? '') : '';
    const seen = (entry.seen.get(item) ?? 0) + 1;
    entry.seen.set(item, seen);
    entry.fitted += 1;
    if (entry.rule.times !== undefined && entry.applied >= entry.rule.times) return false;
    if (when.nth !== undefined && seen !== when.nth) return false;
    if (when.every !== undefined && seen % when.every !== 0) return false;
    return when.share === undefined || seededRandom(this.#seed, entry.number, entry.fitted) < when.share;
  }
}

function phaseOf(action: FaultAction): FaultPhase {
  if (action.kind === 'slow-body' || action.kind === 'cut-body') return 'body';
  return action.kind === 'status' && action.early === true ? 'early' : 'request';
}

function fits({ rule, title }: Entry, facts: RequestFacts): boolean {
  const when = rule.when ?? {};
  const endpoint = when.endpoint ?? 'create';
  return (
    (endpoint === 'any' || endpoint === facts.endpoint) &&
    (title === null || title.test(facts.title ?? '')) &&
    (when.platform === undefined || when.platform === facts.platform) &&
    (when.profileId === undefined || when.profileId === facts.profileId) &&
    (when.id === undefined || when.id === facts.id)
  );
}

function titlePattern(title: string | RegExp): RegExp {
  // Without g and y, whose lastIndex would make every second test miss.
  if (title instanceof RegExp) return new RegExp(title.source, title.flags.replace(/[gy]/g, ''));
  const regex = /^\/(.+)\/([imsu]*)$/.exec(title);
  if (regex !== null) {
    try {
      return new RegExp(regex[1] ?? '', regex[2]);
    } catch (cause) {
      throw new SandboxOptionError(`Fault rule: ${title} is not a valid regular expression.`, { cause });
    }
  }
  const escaped = title.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
  return new RegExp(`^${escaped}$`, 's');
}
