import { Departures } from '../../../../activities/publish/places/departures';
import { type ScopedCap } from '../../../../ledger/pace/pace';

const WINDOW_MS = 200;
const cap = (count: number, scope = 'account:main'): ScopedCap => ({ scope, count, windowMs: WINDOW_MS, spacingMs: 0 });
const permit = () => Promise.resolve();

afterEach(() => {
  jest.useRealTimers();
});

test('a create leaves a window after the answer that it looks back to, and never sooner', async () => {
  const departures = new Departures();
  const left: number[] = [];
  for (let at = 0; at < 9; at += 1) {
    const answered = await departures.leave([cap(3)], permit);
    left.push(performance.now());
    answered();
  }
  for (const [at, time] of left.entries())
    if (at >= 3) expect(time - left[at - 3]!).toBeGreaterThanOrEqual(WINDOW_MS - 1);
});

test('one whose answer takes long is taken to have arrived within a tenth of the window', async () => {
  const departures = new Departures();
  await departures.leave([cap(1)], permit);
  const left = performance.now();
  await departures.leave([cap(1)], permit);
  const waited = performance.now() - left;
  expect(waited).toBeGreaterThanOrEqual(WINDOW_MS * 1.1 - 1);
});

test('a channel that waits for its own cap keeps no other channel from leaving', async () => {
  jest.useFakeTimers();
  const departures = new Departures();
  const slow = [{ ...cap(1, 'channel:1'), windowMs: 3_000 }, cap(100)];
  (await departures.leave(slow, permit))();
  let ended = false;
  const waiting = departures.leave(slow, permit).then(() => (ended = true));
  for (let at = 0; at < 5; at += 1) (await departures.leave([cap(100)], permit))();
  expect(ended).toBe(false);
  await jest.advanceTimersByTimeAsync(4_000);
  await waiting;
});

test('a create without permission leaves nothing behind, and the next one is sent', async () => {
  const departures = new Departures();
  const long = [{ ...cap(1), windowMs: 50_000 }];
  await expect(departures.leave(long, () => Promise.reject(new Error('given up')))).rejects.toThrow('given up');
  await departures.leave(long, permit);
});
