import { CancelWatch } from '../../../activities/publish/cancel-watch';

/** A ledger in which some rows are cancelled, and what it was asked. */
function ledgerWith(cancelled: Set<number>) {
  const asked: number[][] = [];
  return {
    asked,
    cancelsAsked: (rowIds: readonly number[]) => {
      asked.push([...rowIds]);
      return Promise.resolve(rowIds.filter((id) => cancelled.has(id)));
    },
  };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('one question a second serves all uploads of a process, and only the cancelled one is cut', async () => {
  const cancelled = new Set<number>();
  const ledger = ledgerWith(cancelled);
  const looks = new CancelWatch(ledger);
  const uploads = [1, 2, 3].map((id) => looks.watch(id));
  await jest.advanceTimersByTimeAsync(2_000);
  expect(ledger.asked).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  cancelled.add(2);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(uploads.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
  for (const upload of uploads) upload.release();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(ledger.asked).toHaveLength(3);
  expect(jest.getTimerCount()).toBe(0);
});

test('a ledger that can’t be read, or answers slowly, is asked again, never twice at once', async () => {
  let answer: (ids: number[]) => void = () => undefined;
  let questions = 0;
  const looks = new CancelWatch({
    cancelsAsked: () => {
      questions += 1;
      if (questions === 1) return Promise.reject(new Error('locked'));
      return new Promise((resolve) => (answer = resolve));
    },
  });
  const upload = looks.watch(7);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(questions).toBe(2);
  answer([7]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect([upload.signal.aborted, questions]).toEqual([true, 3]);
  upload.release();
});
