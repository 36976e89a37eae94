import { type GivenFlag, type SubmissionInput } from '../../../ledger/model/submission-types';
import { Bench, entries, submission } from '../support';

describe('the flags that a sheet of corrected rows needs', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const main = (...given: GivenFlag[]): SubmissionInput => submission(entries('a', 'b'), { given });
  const sheet = (...given: GivenFlag[]): SubmissionInput => {
    const made = submission(entries('b'), { path: '/home/fix.csv', given });
    return { ...made, snapshot: { ...made.snapshot, text: 'key,reelay_key,reelay_campaign\n' } };
  };
  const GAP = ['--min-gap', '1h'] as const;
  const ZONE = ['--timezone', 'UTC'] as const;

  it('are none of its manifest’s, except what names the config and the service', async () => {
    expect(await bench.ledger.sheetFlags('spring')).toEqual([]);
    const config = ['--config', '/etc/reelay.yaml'] as const;
    await bench.begin(main(ZONE, GAP, ['--skip-invalid'], config));
    expect(await bench.ledger.sheetFlags('spring')).toEqual([config]);
  });

  it('are those that an earlier sheet was given, if they differ from its manifest’s', async () => {
    await bench.begin(main(GAP));
    await bench.begin(sheet(ZONE, GAP));
    expect(await bench.ledger.sheetFlags('spring')).toEqual([ZONE]);
    await bench.begin(
      sheet(['--min-gap', '0s'], ['--encoding', 'windows-1252'], ['--campaign', 'spring'], ['--strict']),
    );
    expect(await bench.ledger.sheetFlags('spring')).toEqual([['--min-gap', '0s']]);
    await bench.begin(main(GAP));
    expect(await bench.ledger.sheetFlags('spring')).toEqual([]);
  });

  it('are compared with those of the whole manifest, not of a file with some of its rows', async () => {
    await bench.begin(main(GAP));
    const some = submission(entries('b'), { path: '/home/some.csv', given: [ZONE], vanished: 'keep' });
    await bench.begin(some);
    expect(await bench.ledger.correctedFlags('spring')).toEqual([GAP]);
    expect(await bench.ledger.correctedManifest('spring')).toMatchObject({ yaml: null, given: [GAP] });
    expect(await bench.ledger.sheetFlags('spring')).toEqual([ZONE]);
  });
});
