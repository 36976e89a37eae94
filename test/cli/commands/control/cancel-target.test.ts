import { cancelQuestion } from '../../../../cli/commands/control/cancel-target';

const ask = (preview: Partial<Parameters<typeof cancelQuestion>[1]>) =>
  cancelQuestion('spring.3 (whole run)', { unsent: 0, uploads: 0, sending: 0, live: 0, ...preview });

test('a cancel of rows that wait asks about them', () => {
  expect(ask({ unsent: 5 })).toBe('Cancel 5 rows of spring.3 (whole run)? Nothing more is sent.');
});

test('a cancel of some rows says that the others are still sent', () => {
  const preview = { unsent: 1, uploads: 0, sending: 0, live: 0 };
  expect(cancelQuestion('spring.3 (key a)', preview, { keys: ['a'] })).toBe(
    'Cancel 1 row of spring.3 (key a)? The other rows are still sent.',
  );
  expect(cancelQuestion('spring.3 (channel Garden · long)', preview, { channelId: 'garden' })).toBe(
    'Cancel 1 row of spring.3 (channel Garden · long)? The rows of other channels are still sent.',
  );
});

test('a cancel that finds only uploads asks about cutting them, and never about 0 rows', () => {
  expect(ask({ uploads: 2, live: 1 })).toBe(
    'Stop 2 uploads that are under way in spring.3 (whole run)? No other row waits to be sent. reelay checks whether the service accepted an interrupted upload. 1 row accepted by the service or live already: that can’t be undone.',
  );
  expect(ask({ unsent: 1, uploads: 1 })).toMatch(/^Cancel 1 row of .*, and stop 1 upload that is under way\?/u);
});

test('a cancel that finds nothing to stop says so', () => {
  expect(ask({ sending: 3 })).toBe(
    'Cancel spring.3 (whole run)? No row of it waits to be sent. 3 creates under way: followed to the end.',
  );
});
