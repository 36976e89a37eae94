import { fullDiskText } from '../../../cli/watch/full-disk';

const ledger = { location: '/home/ana/.local/share/reelay/ledger.db', severalHosts: false };

test.each([
  ['a full disk', ledger, 4_096, expect.stringContaining('disk is full (/home/ana/.local/share/reelay)')],
  ['a disk with free space', ledger, 5_000_000, null],
  ['a ledger in PostgreSQL, whose disk is elsewhere', { ...ledger, severalHosts: true }, 0, null],
])('%s', async (_, of, free, text) => {
  expect(await fullDiskText(of, () => Promise.resolve(free))).toEqual(text);
});
