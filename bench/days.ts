import { DAY, Days, mostIn, simulateEnd } from '../test/support/days';

/**
 * A campaign of days in minutes, on the time-skipping server: `npm run bench:days [CHANNELS] [ROWS EACH]`. Says whether every
 * cap was kept and how far the end is from what `plan` said and from an independent simulation.
 */
const CHANNELS = Number(process.argv[2] ?? 100);
const ROWS_EACH = Number(process.argv[3] ?? 100);
const CAP = { count: 15, windowMs: DAY };

async function main(): Promise<void> {
  const started = Date.now();
  const days = await Days.open(1, CHANNELS);
  try {
    const submitted = await days.submit('days', { channels: CHANNELS, rowsEach: ROWS_EACH }, { maxPer: [CAP] });
    await submitted.ended();
    const sent = days.sent();
    const most = [...new Set(sent.map((one) => one.channel))].map((channel) =>
      mostIn(
        sent.filter((one) => one.channel === channel).map((one) => one.at),
        CAP.windowMs,
      ),
    );
    const ended = sent.at(-1)?.at ?? submitted.began;
    const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`;
    const simulated = simulateEnd(ROWS_EACH, [CAP], submitted.began);
    console.log(`rows sent                    ${sent.length} of ${CHANNELS * ROWS_EACH}`);
    console.log(`counts                       ${JSON.stringify(await days.ledger.counts(submitted.run))}`);
    console.log(`most in any 24 h, a channel  ${Math.max(...most)}`);
    console.log(`lasted                       ${((ended - submitted.began) / DAY).toFixed(3)} days`);
    console.log(`after the end that plan said ${minutes(ended - submitted.plannedEnd)}`);
    console.log(`after the simulation's end   ${minutes(ended - simulated)}`);
    console.log(`a slot                       ${minutes(CAP.windowMs / CAP.count)}`);
    console.log(`took                         ${minutes(Date.now() - started)}`);
  } finally {
    await days.close();
  }
}

void main();
