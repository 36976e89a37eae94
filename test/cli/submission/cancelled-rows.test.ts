import { planOf, submitOrAsk } from '../../../cli/submission/cancelled-rows';
import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { Bench, entries, submission } from '../../ledger/support';

let bench: Bench;
beforeEach(async () => {
  bench = await new Bench().open();
  const run = await bench.begin(submission(entries('a', 'b')));
  await bench.ledger.cancel({ run, by: 'ana@desk', keys: ['b'] });
});
afterEach(async () => {
  await bench.close();
});

const MORE = submission(entries('a', 'b', 'c', 'd'));
const STAYS = { code: 'rows-cancelled', severity: 'warning', key: 'b' };

/** Submits while a person at the terminal gives this answer; `null`: there is no terminal. Gives what was asked too. */
function submitWith(answer: boolean | null, input: SubmissionInput) {
  const asked: string[] = [];
  const agree = async (question: string): Promise<boolean> => {
    asked.push(question);
    return answer === true;
  };
  return { asked, submitted: submitOrAsk(bench.ledger, input, answer === null ? null : agree) };
}

async function states() {
  await bench.import();
  return bench.states({ campaign: 'spring', number: 1 });
}

test.each([
  ['no at the terminal', false],
  ['no terminal', null],
])('with %s, the others of a manifest with a cancelled row are sent without it', async (_, answer) => {
  expect((await planOf(bench.ledger, MORE)).problems).toMatchObject([STAYS]);
  const { asked, submitted } = submitWith(answer, MORE);
  const { warnings } = await submitted;
  expect(warnings).toMatchObject([STAYS]);
  expect(warnings[0]?.hint).toContain('--uncancel');
  expect(asked).toEqual(
    answer === null
      ? []
      : [
          '1 row of the manifest was cancelled by a person: b. The 3 other rows are published either way. Publish what was cancelled too?',
        ],
  );
  expect(await states()).toMatchObject({ a: 'planned', b: 'cancelled', c: 'planned', d: 'planned' });
});

test('with yes, it is sent too', async () => {
  expect((await submitWith(true, MORE).submitted).warnings).toEqual([]);
  expect(await states()).toMatchObject({ b: 'planned', c: 'planned' });
});

test.each([false, null])('where nothing else is left to send, answer %s refuses the manifest', async (answer) => {
  const only = submission(entries('b'), { vanished: 'keep' });
  expect((await planOf(bench.ledger, only)).problems).toMatchObject([{ ...STAYS, severity: 'error' }]);
  const { asked, submitted } = submitWith(answer, only);
  await expect(submitted).rejects.toMatchObject({ problems: [{ code: 'rows-cancelled' }] });
  expect(asked).toEqual(
    answer === null ? [] : ['1 row of the manifest was cancelled by a person: b. Publish what was cancelled?'],
  );
});

test('a manifest with another error is refused, and nothing is asked', async () => {
  const { asked, submitted } = submitWith(true, submission(entries('b', 'c')));
  await expect(submitted).rejects.toMatchObject({ problems: expect.anything() as unknown });
  expect(asked).toEqual([]);
});
