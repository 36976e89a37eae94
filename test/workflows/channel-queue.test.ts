import { type Page, type PageRow } from '../../activities/contract';
import { ChannelQueue, GROUP, HELD_CHECK_MS } from '../../workflows/channel-queue';

const NOON = Date.parse('2026-11-29T12:00:00Z');
let now = NOON;
let queue: ChannelQueue;

beforeEach(() => {
  now = NOON;
  queue = new ChannelQueue(() => now);
});

function row(id: number, more: Partial<PageRow> = {}): PageRow {
  return { id, line: id + 1, label: `row ${id + 1}`, readyAt: null, upload: false, ...more };
}

function page(rows: PageRow[], held: string | null = null): Page {
  return { holds: true, held, rows };
}

/** Takes a page as the workflow does. */
function take(rows: PageRow[], held: string | null = null): void {
  const limit = queue.pageLimit(1);
  queue.take(page(rows, held));
  queue.noteRest(page(rows, held), limit);
}

const ids = (rows: readonly PageRow[]): number[] => rows.map(({ id }) => id);
const inMinutes = (minutes: number): string => new Date(NOON + minutes * 60_000).toISOString();

test('rows are given out in the order of the page, at most as many as asked for', () => {
  take([row(1), row(2), row(3)]);
  expect([ids(queue.nextGroup(2)), ids(queue.nextGroup(2)), queue.length]).toEqual([[1, 2], [3], 0]);
});

test('a file goes alone; URL rows before it go together', () => {
  take([row(1), row(2), row(3, { upload: true }), row(4)]);
  expect([1, 2, 3].map(() => ids(queue.nextGroup(GROUP)))).toEqual([[1, 2], [3], [4]]);
});

test('a row that was given out is not taken again until its activity has ended', () => {
  take([row(1)]);
  const group = queue.nextGroup(GROUP);
  take([row(1)]);
  expect(queue.length).toBe(0);
  queue.release(group);
  take([row(1)]);
  expect(ids(queue.nextGroup(GROUP))).toEqual([1]);
});

test('a page is asked for more rows than are known, so that it can have a new one', () => {
  const many = Array.from({ length: GROUP }, (_, id) => row(id));
  take(many);
  expect(queue.pageLimit(1)).toBe(GROUP + 1);
});

test('a row whose time has not come is left, and a page is needed at its time', () => {
  take([row(1), row(2, { readyAt: inMinutes(3) })]);
  expect([ids(queue.nextGroup(GROUP)), queue.needsPage(1, 1), queue.untilCheck]).toEqual([[1], false, 180_000]);
  now += 180_000;
  expect(queue.needsPage(1, 1)).toBe(true);
  take([row(2, { readyAt: inMinutes(3) })]);
  expect(queue.length).toBe(1);
});

test('with nothing left to come, a page is needed only when nothing is under way, a row came back or the safety net is due', () => {
  take([row(1)]);
  const group = queue.nextGroup(GROUP);
  expect(queue.needsPage(4, 1)).toBe(false);
  expect(queue.needsPage(4, 0)).toBe(true);
  queue.expectMore();
  expect(queue.needsPage(4, 1)).toBe(true);
  queue.release(group);
  take([]);
  expect(queue.needsPage(4, 1)).toBe(false);
  now += HELD_CHECK_MS;
  expect(queue.needsPage(4, 1)).toBe(true);
});

test('no page is needed while enough rows wait', () => {
  take(Array.from({ length: GROUP }, (_, id) => row(id)));
  queue.expectMore();
  expect([queue.needsPage(1, 1), queue.needsPage(2, 1)]).toEqual([false, true]);
});

test('nothing is taken from a page of a held channel', () => {
  take([row(1), row(2, { readyAt: inMinutes(1) })], 'paused');
  expect([queue.length, queue.untilCheck]).toEqual([0, HELD_CHECK_MS]);
});

test('rows that were dropped come again only when they are forgotten', () => {
  take([row(1)]);
  queue.drop(false);
  take([row(1)]);
  expect(queue.length).toBe(0);
  take([row(2)]);
  queue.drop(true);
  take([row(2)]);
  expect(ids(queue.nextGroup(GROUP))).toEqual([2]);
});

test('after a reset every row of a page is taken, also one that was given out', () => {
  take([row(1), row(2)]);
  queue.nextGroup(1);
  queue.reset();
  take([row(1), row(2)]);
  expect(ids(queue.nextGroup(GROUP))).toEqual([1, 2]);
});
