import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCommand, UserMachine } from '../test/e2e/support/cli-process';
import { PostgresServer } from '../test/support/postgres/postgres';
import { startBackdrop } from './support/backdrop';

/**
 * The gain from a second worker if the service takes most of the time: uploads at a limited speed, with a slow answer.
 * The built command, a home for each worker, the ledger in PostgreSQL, one Temporal: a campaign with one worker, then
 * another one with two. Run: `npm run bench:hosts`; `BENCH_ROWS` changes how many rows each has.
 */
const ROWS = Number(process.env.BENCH_ROWS ?? 160);
const UPLOADS = 4;
/** Bytes of a video, and bytes per second that the service accepts. */
const BYTES = 400_000;
const SPEED = 200_000;
const ANSWER_MS = 1_000;
const PROFILES = ['Garden', 'Kitchen', 'Travel', 'Workshop', 'Music', 'Science', 'Sports', 'Books'];
const FTYP = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0');

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-hosts-'));
  const database = await new PostgresServer().start();
  const faults = [`create -> slow-body ${String(SPEED)}`, `create -> slow-answer ${String(ANSWER_MS)}`];
  const backdrop = await startBackdrop(folder, { faults, profiles: PROFILES.length });
  const { service, apiKey, temporal, namespace } = backdrop.addresses;
  const machines: UserMachine[] = [];
  const workers: RunningCommand[] = [];
  const machine = async (): Promise<UserMachine> => {
    const made = await UserMachine.create({ ...shared, REELAY_BASE_URL: service, REELAY_API_KEY: apiKey });
    machines.push(made);
    return made;
  };
  const shared = {
    REELAY_DATABASE_URL: await database.database(),
    TEMPORAL_ADDRESS: temporal,
    TEMPORAL_NAMESPACE: namespace,
  };
  try {
    const author = await machine();
    const speeds: number[] = [];
    for (const count of [1, 2]) {
      const worker = (await machine()).start(['worker', '--uploads', String(UPLOADS)]);
      workers.push(worker);
      await worker.says(/polls/u);
      speeds.push(await rowsPerMinute(author, `workers-${String(count)}`));
    }
    const [one = 0, two = 0] = speeds;
    const atMost = (UPLOADS * 60) / (BYTES / SPEED + ANSWER_MS / 1_000);
    console.log(
      `one worker    ${one.toFixed(1)} rows a minute (its ${String(UPLOADS)} uploads allow ${atMost.toFixed(0)})`,
    );
    console.log(`two workers   ${two.toFixed(1)} rows a minute, ${(two / one).toFixed(2)} times one`);
  } finally {
    for (const { child } of workers) child.kill('SIGINT');
    await Promise.all(workers.map(({ ended }) => ended));
    await backdrop.stop();
    await database.end();
    await Promise.all(machines.map((each) => each.remove()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** From the start of the run to the service's last answer to an upload. */
async function rowsPerMinute(author: UserMachine, campaign: string): Promise<number> {
  const lines = ['key,title,source,platform,profile'];
  for (let row = 0; row < ROWS; row += 1) {
    const name = `${campaign}-${String(row)}`;
    await writeFile(
      author.path(`${name}.mp4`),
      Buffer.concat([FTYP, Buffer.alloc(BYTES, row % 251), Buffer.from(name)]),
    );
    lines.push(`${name},Video ${name},${name}.mp4,short,${PROFILES[row % PROFILES.length] ?? ''}`);
  }
  const sheet = author.path(`${campaign}.csv`);
  await writeFile(sheet, `${lines.join('\n')}\n`);
  await demand(author, ['submit', sheet]);
  const summary = JSON.parse(await demand(author, ['watch', campaign, '-o', 'json'])) as { started_at: string };
  const { rows } = JSON.parse(await demand(author, ['results', campaign, '-o', 'json'])) as {
    rows: { created_at: string }[];
  };
  const last = Math.max(...rows.map((row) => Date.parse(row.created_at)));
  return (rows.length * 60_000) / (last - Date.parse(summary.started_at));
}

async function demand(author: UserMachine, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await author.run(args);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  return stdout;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
