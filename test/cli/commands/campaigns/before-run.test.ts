import { publishQuestion } from '../../../../cli/shared/stay-on';
import { Bench, entries, submission } from '../../../ledger/support';

const QUESTION = 'Publish 2 videos to 1 channel, all now?';

test('after a trial, the rows that it left out are asked about; those of an open run aren’t asked about again', async () => {
  const bench = await new Bench().open();
  try {
    const rows = submission(entries('a', 'b', 'c'));
    const question = async () => publishQuestion(await bench.ledger.plan(rows), 'UTC', bench.time);
    const trial = await bench.begin({ ...rows, select: { limit: 1 } });
    await bench.publish(trial);
    expect(await question()).toBe(QUESTION);
    await bench.begin(rows);
    expect(await question()).toBeNull();
  } finally {
    await bench.close();
  }
});
