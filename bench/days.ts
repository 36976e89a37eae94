import { DAY, Days, mostIn, simulateEnd } from '../test/support/days';

/**
 * A campaign of days in minutes, on the time-skipping server: `npm run bench:days [CHANNELS] [ROWS EACH]`. Reports
 * whether every cap was kept and how far the end is from the plan and from an independent simulation; exits with 1 if a
 * cap wasn't kept, a row is missing, or the end is more than a slot away.
 */
const CHANNELS = Number(process.argv[2] ?? 100);
const ROWS_EACH = Number(process.argv[3] ?? 100);
const CAP = { count: 15, windowMs: DAY };
const SLOT = CAP.windowMs / CAP.count;

const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`;

async function main(): Promise<boolean> {
  const started = Date.now();
  const days = await Days.open(1, CHANNELS);
  let progress: NodeJS.Timeout | undefined;
  try {
    const submitted = await days.submit('days', { channels: CHANNELS, rowsEach: ROWS_EACH }, { maxPer: [CAP] });
    progress = setInterval(() => {
      const day = ((days.now() - submitted.began) / DAY).toFixed(2);
      console.error(`${minutes(Date.now() - started)}: ${String(days.sent().length)} rows sent, day ${day}`);
    }, 30_000);
    await submitted.ended();
    const sent = days.sent();
    const channels = [...new Set(sent.map((one) => one.channel))];
    const most = channels.map((channel) => {
      const times = sent.filter((one) => one.channel === channel).map((one) => one.at);
      return mostIn(times, CAP.windowMs);
    });
    const ended = sent.at(-1)?.at ?? submitted.began;
    const simulated = simulateEnd(ROWS_EACH, [CAP], submitted.began);
    const kept = most.filter((count) => count <= CAP.count).length;
    const near = Math.abs(ended - submitted.plannedEnd) < SLOT && Math.abs(ended - simulated) < SLOT;
    console.log(`rows sent                    ${sent.length} of ${CHANNELS * ROWS_EACH}`);
    console.log(`counts                       ${JSON.stringify(await days.ledger.counts(submitted.run))}`);
    console.log(
      `caps kept                    in ${kept} of ${CHANNELS} channels; most in any 24 h: ${Math.max(...most)}`,
    );
    console.log(`lasted                       ${((ended - submitted.began) / DAY).toFixed(3)} days`);
    console.log(`after the end that plan said ${minutes(ended - submitted.plannedEnd)}`);
    console.log(`after the simulation's end   ${minutes(ended - simulated)}`);
    console.log(`a slot                       ${minutes(SLOT)}; ${near ? 'within one' : 'MORE THAN ONE AWAY'}`);
    console.log(`took                         ${minutes(Date.now() - started)}`);
    return near && kept === CHANNELS && sent.length === CHANNELS * ROWS_EACH;
  } finally {
    clearInterval(progress);
    await days.close();
  }
}

void main().then((good) => {
  process.exitCode = good ? 0 : 1;
});
