import { AttemptClock } from '../../../activities/reconcile/attempt-clock';

describe('how long an attempt has been over', () => {
  let wall: number;
  let monotonic: number;
  let awake: number;
  let clock: AttemptClock;

  beforeEach(() => {
    wall = 1_000_000;
    monotonic = 0;
    awake = 0;
    clock = new AttemptClock({ wall: () => wall, monotonic: () => monotonic, awake: () => awake });
  });

  const pass = (ms: number): void => {
    wall += ms;
    monotonic += ms;
    awake += ms;
  };

  it('counts from when it is first seen so', () => {
    expect(clock.elapsed('a')).toBe(0);
    pass(60_000);
    expect([clock.elapsed('a'), clock.elapsed('b')]).toEqual([60_000, 0]);
  });

  it.each([600_000, -600_000])('begins again when the wall clock jumps by %d ms', (jump) => {
    clock.elapsed('a');
    pass(60_000);
    wall += jump;
    expect(clock.elapsed('a')).toBe(0);
    pass(1_000);
    expect(clock.elapsed('a')).toBe(1_000);
  });

  it.each([600_000, -600_000])(
    'gives the time of an earlier record although the clock was set by %d ms since',
    (jump) => {
      const noted = wall;
      pass(60_000);
      clock.elapsed('a');
      wall += jump;
      pass(60_000);
      expect(clock.evenTime() - clock.earliest(noted)).toBe(120_000);
      const after = wall;
      pass(3_600_000);
      expect(clock.evenTime() - clock.earliest(wall - 1_000)).toBe(1_000);
      // Shown twice by a clock that was set back: the earlier time counts.
      expect(clock.evenTime() - clock.earliest(after)).toBe(3_600_000 + Math.max(-jump, 0));
    },
  );

  it('does not count the time in which the machine slept, nor take it for a jump', () => {
    clock.elapsed('a');
    pass(10_000);
    wall += 3_600_000;
    awake += 3_600_000;
    expect(clock.elapsed('a')).toBe(10_000);
  });

  it('follows a clock that is corrected a little at a time', () => {
    clock.elapsed('a');
    for (let round = 0; round < 20; round += 1) {
      pass(1_000);
      wall += 500;
      clock.elapsed('a');
    }
    expect(clock.elapsed('a')).toBe(20_000);
  });
});
