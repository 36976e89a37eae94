import { SeededRandom } from '../../chaos/random';

/** The choices of a world. */
export class WorldRandom extends SeededRandom {
  constructor(seed: number) {
    super(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0);
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of them by its weight. */
  weighed<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return (items.at(-1) as readonly [number, T])[1];
  }
}
