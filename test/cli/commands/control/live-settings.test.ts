import { readAssignments } from '../../../../cli/commands/control/live-settings';

test('the zone of hours is repeated wherever the setting is shown, and is data of its own', async () => {
  const [hours, gap] = await readAssignments(['hours=Mon-Fri 09:00-21:00', 'timezone=Europe/Berlin', 'min-gap=10m']);
  expect(hours).toMatchObject({
    name: 'hours',
    shown: 'Mon-Fri 09:00-21:00 timezone=Europe/Berlin',
    given: { hours: 'Mon-Fri 09:00-21:00', timezone: 'Europe/Berlin' },
    layer: { hours: { zone: 'Europe/Berlin' } },
  });
  expect(gap).toMatchObject({ shown: '10m', given: { min_gap: '10m' } });
});

test('a limit per day is one of a zone, which has to be named', async () => {
  const [cap] = await readAssignments(['max_per=1 per day', 'timezone=Europe/Berlin']);
  expect(cap).toMatchObject({
    shown: '1 per day timezone=Europe/Berlin',
    layer: { maxPer: [{ count: 1, zone: 'Europe/Berlin' }] },
  });
  await expect(readAssignments(['max_per=1 per day'])).rejects.toThrow('max_per “1 per day” needs a timezone');
});

test('what is taken back is null', async () => {
  expect(await readAssignments(['min_gap='])).toEqual([
    { name: 'min_gap', shown: '', given: { min_gap: null }, layer: null },
  ]);
});

test.each([
  [['timezone=Europe/Berlin']],
  [['timezone=Europe/Berlin', 'min_gap=1m']],
  [['timezone=Europe/Berlin', 'hours=']],
])('a zone without hours is refused instead of passing for a change: %j', async (given) => {
  await expect(readAssignments(given)).rejects.toThrow(/none is given/u);
});
