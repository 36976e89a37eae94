import { resolve } from 'node:path';
import { givenFlags } from '../../../cli/submission/given-flags';
import { ruleFlagPairs } from '../../../cli/submission/pace-flags';

test('the flags of a submission are kept as pairs, without those of a trial or a confirmation', () => {
  expect(
    givenFlags({
      timezone: 'Europe/Berlin',
      maxPer: ['15 per 24h', '2 per 1h'],
      skipInvalid: true,
      once: true,
      limit: 3,
      probe: true,
      yes: true,
      uncancel: true,
      config: 'x.yaml',
    }),
  ).toEqual([
    ['--timezone', 'Europe/Berlin'],
    ['--max-per', '15 per 24h'],
    ['--max-per', '2 per 1h'],
    ['--skip-invalid'],
    ['--once'],
    ['--config', resolve('x.yaml')],
  ]);
});

test('pace rules are shown as the flags that give them', () => {
  const flags = [20_000, 90_000, 5_400_000, 172_800_000, 250].map((minGapMs) => ruleFlagPairs({ minGapMs })[0]?.[1]);
  expect(flags).toEqual(['20s', '90s', '90m', '2d', '250ms']);
});
