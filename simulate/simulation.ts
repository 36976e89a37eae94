import { createHash } from 'node:crypto';
import { type NoticeSettings } from '../activities/notices/find-notices';
import { Operator, VIDEO_BYTES, campaignName, isFile, sourceOf } from './actors/operator';
import { definitionOf, writeManifest } from './actors/scheduled-manifest';
import { WorkerProcess } from './actors/worker-process';
import { Scheduler } from './clock/scheduler';
import { BEGINNING, simulateTime } from './clock/virtual-time';
import { UserFiles, useFiles } from './stand-ins/user-files';
import { useDisk } from './stand-ins/disk';
import { type SharedLedger } from './stand-ins/ledger';
import { Outside, useOutside } from './stand-ins/outside';
import { Broken } from './promises/broken';
import { Promises } from './promises/promises';
import { WorldRandom } from './world/random';
import { Service } from './service/service';
import { Schedule } from './temporal/schedule';
import { Temporal } from './temporal/temporal';
import { type Window, type World, type WorldIncident } from './world/world';

export interface Outcome {
  /** The promise that was broken, and how; null: all were kept. */
  broken: { promise: string; what: string } | null;
  steps: number;
  /** CPU time of this process, ms: what it took, however busy the machine is. */
  computedMs: number;
  /** Of the trace: the same world gives the same. */
  hash: string;
  trace: string[];
}

/** From here on nothing fails any more, ms. */
const CALM_MS = 32_000;
/** Late events, such as the answer of a worker that was frozen, happen within this time after all has ended, ms. */
const GRACE_MS = 3_000;
/** After this time everything has to have ended, ms. */
const PATIENCE_MS = 30 * 60_000;
/** A world that takes more has something that goes round in circles; the longest seen took 17,115. */
const MOST_STEPS = 50_000;

/** Runs a world to its end. */
export async function simulate(world: World, ledger: SharedLedger): Promise<Outcome> {
  const computed = process.cpuUsage();
  const scheduler = new Scheduler(new WorldRandom(world.order));
  const random = new WorldRandom(world.order + 1);
  ledger.empty();
  const { aheadMs, jumpAtMs, jumpByMs } = world.clock;
  const ahead = () => aheadMs + (scheduler.now >= jumpAtMs ? jumpByMs : 0);
  simulateTime({ scheduler, random, ahead });
  let isCalm = false;
  const isIn = (window: Window | undefined): boolean =>
    !isCalm && window !== undefined && scheduler.now >= window.atMs && scheduler.now < window.atMs + window.forMs;
  const full = () => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const ledgerFails = () => (isIn(world.fullDisk) ? full() : null);
  useDisk({
    files: new Map(),
    fails: () => (world.fullDisk?.spoolToo === true && isIn(world.fullDisk) ? 'ENOSPC' : null),
  });

  const rowOf = (source: string) => {
    const [campaign, position] = /\/(\d{1,6})[-/](\d{1,6})\.mp4$/u.exec(source)?.slice(1).map(Number) ?? [];
    return world.campaigns[campaign ?? -1]?.rows[position ?? -1];
  };
  const files = new UserFiles(
    () => BEGINNING + scheduler.now,
    (path, look) => {
      const change = rowOf(path)?.file;
      return change?.look === look ? change.becomes : undefined;
    },
  );
  useFiles(files);
  world.campaigns.forEach(({ rows }, at) =>
    rows.forEach((row, position) => {
      if (isFile(row)) files.write(sourceOf(world, at, position), null, VIDEO_BYTES);
    }),
  );
  const service = new Service(
    scheduler,
    world,
    (source, nth) => rowOf(source)?.fates[nth - 1],
    (source, nth) => rowOf(source)?.failing.includes(nth) === true,
  );
  const temporal = new Temporal(scheduler, () => (isCalm ? 0 : world.lostEnds));
  const processes = new Map<string, WorkerProcess>();
  const promises = new Promises(ledger, service, world, (name) => processes.get(name)?.alive !== true);
  const found: { broken: Broken | null } = { broken: null };
  const guard = (check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      found.broken ??= error;
    }
  };
  const { onStored } = service;
  service.onStored = (stored) => guard(() => onStored(stored));

  const opened = await ledger.open();
  const schedule =
    world.schedule === undefined
      ? undefined
      : new Schedule(temporal, scheduler, world.schedule, definitionOf(world), opened.id);
  const write = (rows: number, isHalf: boolean): void =>
    writeManifest(files, world, world.schedule?.campaign ?? 0, { rows, isHalf });
  if (world.schedule !== undefined) write(world.campaigns[world.schedule.campaign]?.rows.length ?? 0, false);
  const outside = new Outside(world.notices, () => isCalm);
  useOutside(outside);
  const operator = new Operator(world, scheduler, temporal, service, opened, {
    schedule: schedule && { server: schedule, write },
    fails: ledgerFails,
    wrote: () => guard(() => promises.check()),
    replaces: (sources) => sources.forEach((source) => promises.mayReplace(source)),
    isAttemptOver: (campaign, key) => isAttemptOver(ledger, processes, campaign, key),
  });
  const incidents = world.workers.map((_, slot) => world.incidents.filter(({ worker }) => worker === slot));
  const slots: WorkerProcess[] = [];
  const startWorker = (slot: number, generation: number): void => {
    const left = incidents[slot] as WorldIncident[];
    const worker = new WorkerProcess(`worker-${slot + 1}.${generation}`, world.workers[slot] ?? 0, {
      scheduler,
      temporal,
      service,
      openLedger: ledger.open,
      wrote: () => guard(() => promises.check()),
      isAlive: (id) => processes.get(id)?.alive === true,
      ledgerFails,
      exclusive: world.exclusive,
      notices: noticeSettings(world),
      schedules: schedule,
      incidents: { left, happened: (one) => void left.splice(left.indexOf(one), 1) },
      reached: (point) => operator.reached(point),
      crashed: (_, forMs) => {
        scheduler.add(temporal, forMs, null, () => startWorker(slot, generation + 1));
      },
      promises: {
        mayLeave: (source) => guard(() => promises.mayLeave(worker.name, source)),
        answered: (id, source) => promises.noteAnswer(worker.name, id, source),
      },
    });
    processes.set(worker.name, worker);
    slots[slot] = worker;
    worker.start();
  };
  world.workers.forEach((_, slot) => startWorker(slot, 1));

  world.older.forEach((title, at) => service.add(title, at - world.older.length - 3_600_000));
  for (const { atMs, title } of world.others) scheduler.add(service, atMs, null, () => service.add(title));
  operator.plan();

  const calmDown = (): void => {
    isCalm = true;
    service.failing = false;
    scheduler.note(null, 'from here on nothing fails');
    for (const list of incidents) list.length = 0;
    temporal.wake();
    operator.at(scheduler.now, 'tidies up', () => operator.tidyUp());
  };
  // They are never accepted: no run waits for that, and neither does this.
  const isIgnored = (id: string): boolean => world.notices?.neverHeard === true && id.startsWith('notice/');
  let asked = 0;
  /** The last round of retries made something happen. */
  let isMoreToDo = true;
  const retry = async (at: number): Promise<void> => {
    if (await operator.retry(at)) isMoreToDo = true;
  };
  let idleSince: number | null = null;
  let isOver = false;
  const after = (): void => {
    if (found.broken !== null || scheduler.taken > MOST_STEPS) isOver = true;
    if (!isCalm && scheduler.now >= CALM_MS) calmDown();
    if (isOver) return;
    // A process that wakes up has an answer to record, and then the row has to be followed.
    const isFrozen = slots.some((worker) => worker.alive && worker.frozenUntil > scheduler.now);
    if (!temporal.isIdle(isIgnored) || schedule?.isDue === true || operator.busy > 0 || isFrozen) {
      idleSince = null;
      return;
    }
    if (!isCalm) {
      calmDown();
      return;
    }
    idleSince ??= scheduler.now;
    if (scheduler.now < idleSince + GRACE_MS) return;
    // A person retries rejected and failed rows once more, when all has ended, and submits rows that no run follows.
    if (asked === 2 || !isMoreToDo) {
      isOver = true;
      return;
    }
    asked += 1;
    idleSince = null;
    isMoreToDo = false;
    for (const at of operator.submitted) operator.at(scheduler.now, `retries ${campaignName(at)}`, () => retry(at));
  };
  await scheduler.run(CALM_MS + PATIENCE_MS, () => isOver, after);
  guard(() => promises.checkEnd(isOver && scheduler.taken <= MOST_STEPS, outside.heard));
  const { broken } = found;
  if (broken !== null) scheduler.note(null, `BROKEN ${broken.message}`);
  const { trace, taken } = scheduler;
  const { user, system } = process.cpuUsage(computed);
  const hash = createHash('sha256').update(trace.join('\n')).digest('hex').slice(0, 16);
  return {
    broken: broken === null ? null : { promise: broken.promise, what: broken.message },
    steps: taken,
    computedMs: (user + system) / 1_000,
    hash,
    trace,
  };
}

function noticeSettings({ notices }: World): NoticeSettings | undefined {
  if (notices === undefined) return undefined;
  return {
    command: notices.command === undefined ? null : ['tell'],
    folder: '/',
    env: {},
    url: notices.url === undefined ? null : 'https://hooks.example/notices',
    on: ['ended', 'parked', 'refused'],
    sandbox: false,
  };
}

const ATTEMPTS = `select attempts.worker_id, attempts.ended_at, attempts.code from attempts
  join rows on rows.id = attempts.row_id where rows.campaign = ? and rows.key = ? order by number desc limit 1`;

/** Whether a person who checks the machines could be sure that a row's create is over. */
function isAttemptOver(
  ledger: SharedLedger,
  processes: ReadonlyMap<string, WorkerProcess>,
  campaign: string,
  key: string,
): boolean {
  interface Attempt {
    worker_id: string;
    ended_at: number | null;
    code: string | null;
  }
  const [attempt] = ledger.all<Attempt>(ATTEMPTS, campaign, key);
  if (attempt === undefined) return true;
  if (processes.get(attempt.worker_id)?.alive !== true) return true;
  return attempt.ended_at !== null && attempt.code !== 'worker-silent';
}
