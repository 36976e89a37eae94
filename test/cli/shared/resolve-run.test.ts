import { dirname } from 'node:path';
import { loadSettings, type Settings } from '../../../cli/config/settings';
import { findRun } from '../../../cli/shared/resolve-run';
import { Bench, entries, submission } from '../../ledger/support';

describe('a RUN on the command line', () => {
  let bench: Bench;
  let settings: Settings;
  beforeEach(async () => {
    bench = await new Bench().open();
    const home = dirname(bench.path);
    settings = await loadSettings({ home }, {}, home);
    await bench.begin(submission(entries('a')));
    await bench.begin(submission(entries('a'), { campaign: 'part.2', settings: { repeat: 'allow' } }));
  });
  afterEach(() => bench.close());

  test.each([
    ['spring', 'spring.1'],
    ['spring.1', 'spring.1'],
    ['campaign/spring', 'spring.1'],
    ['campaign/spring/1/garden.long', 'spring.1'],
    ['execution-1', 'spring.1'],
    ['part.2', 'part.2.1'],
    ['part.2.1', 'part.2.1'],
    ['campaign/part.2', 'part.2.1'],
    ['latest', 'part.2.1'],
  ])('%s is %s', async (text, run) => {
    const found = await findRun(settings, bench.ledger, text);
    expect(`${found.campaign}.${String(found.number)}`).toBe(run);
  });

  test('that is nearly right is answered with the right one', async () => {
    await expect(findRun(settings, bench.ledger, 'sprng.1')).rejects.toMatchObject({
      exitCode: 2,
      code: 'no-such-run',
      hint: expect.stringContaining('Did you mean spring.1?'),
    });
    await expect(findRun(settings, bench.ledger, 'spring.9')).rejects.toMatchObject({ code: 'no-such-run' });
  });

  test('that is a run of one campaign and the name of another is refused, with a name for each', async () => {
    await bench.begin(submission(entries('a'), { campaign: 'spring.1', settings: { repeat: 'allow' } }));
    const refused = findRun(settings, bench.ledger, 'spring.1');
    await expect(refused).rejects.toMatchObject({
      exitCode: 2,
      code: 'ambiguous-run',
      hint: expect.stringMatching(/campaign\/spring\/1 .*spring\.1\.1 /u),
    });
    expect(await findRun(settings, bench.ledger, 'campaign/spring/1')).toMatchObject({ campaign: 'spring', number: 1 });
    expect(await findRun(settings, bench.ledger, 'spring.1.1')).toMatchObject({ campaign: 'spring.1', number: 1 });
    expect(await findRun(settings, bench.ledger, 'campaign/spring.1')).toMatchObject({
      campaign: 'spring.1',
      number: 1,
    });
  });

  test('is a string only there: the ledger itself takes a campaign and a number', async () => {
    await bench.begin(submission(entries('b'), { campaign: 'spring.1', settings: { repeat: 'allow' } }));
    expect(await bench.ledger.newestRun('spring.1')).toMatchObject({ campaign: 'spring.1', number: 1 });
    expect(await bench.ledger.findRun({ campaign: 'spring', number: 1 })).toMatchObject({ campaign: 'spring' });
  });
});
