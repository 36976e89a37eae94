import { type Ledger } from '../../ledger/ledger';
import { type Counts, type RunRef } from '../../ledger/model/types';
import { PROBLEM_CODES, type ProblemCode } from '../../manifests/problems/problem-codes';
import { commandsOf, isWorkbook, nextSteps } from '../../wording/next-steps';
import { type NoticeBrief } from './contract';

/** The content of a notice: the JSON that commands and addresses receive. */
export interface NoticeText {
  version: 1;
  /** The same when it is sent again after a lost answer. */
  id: string;
  notice: 'run-ended' | 'parked' | 'refused';
  /** One sentence for people. */
  text: string;
  campaign: string | null;
  /** `NAME.N` */
  run: string | null;
  schedule: string | null;
  /** Every row of the manifest succeeded. */
  ok: boolean;
  /** Rows by state. */
  counts: Counts;
  reason: string | null;
  /** ISO: when it happened. */
  at: string;
  sandbox: boolean;
  next: string[];
}

const WELL: readonly string[] = ['published', 'drafted', 'submitted'];

/** Reads the current facts for the text. */
export async function noticeText(ledger: Ledger, { id, subject }: NoticeBrief, sandbox: boolean): Promise<NoticeText> {
  const common = { version: 1 as const, id, sandbox };
  const place = sandbox ? ' --sandbox' : '';
  if (subject.kind === 'refused') {
    const { schedule, key, outcome, code, endedAt, startedAt, ...firing } = await ledger.firings.get(subject.firing);
    const reason = outcome === 'refused' ? withoutExcerpt(code, firing.reason) : firing.reason;
    const paused = ((await ledger.firings.schedule(schedule))?.pausedAt ?? null) !== null;
    return {
      ...common,
      notice: 'refused',
      text: `Schedule ${schedule}, firing ${key}: ${reason ?? 'refused'}${paused ? ' (the schedule is paused)' : ''}`,
      campaign: null,
      run: null,
      schedule,
      ok: false,
      counts: {},
      reason,
      at: endedAt ?? startedAt,
      next: [`reelay schedule show ${schedule}${place}`],
    };
  }
  const { run } = subject;
  const name = `${run.campaign}.${run.number}`;
  const counts = await ledger.counts(run);
  const about = { ...common, campaign: run.campaign, run: name, schedule: null, counts };
  if (subject.kind === 'parked') {
    const gate = (await ledger.gates(run)).find(({ scope, kind }) => scope === subject.scope && kind === 'parked');
    const reason = gate?.reason ?? null;
    const text = gate === undefined ? `${name}: was parked, and is open again` : `${name}: parked. ${gate.reason}`;
    return {
      ...about,
      notice: 'parked',
      text,
      ok: false,
      reason,
      at: subject.since,
      next: [`reelay status ${name}${place}`],
    };
  }
  const info = await ledger.findRun(run);
  const reason = await whyEarly(ledger, run, info?.cancelled?.reason ?? null);
  // They are drafts, but not as the manifest now says.
  const unchanged = (counts.drafted ?? 0) > 0 ? await ledger.unchangedDrafts(run) : 0;
  const differing = (counts.published ?? 0) > 0 ? await ledger.differing(run) : 0;
  const asked = (counts.cancelled ?? 0) > 0 ? await ledger.leftOutAsAsked(run) : 0;
  const ok =
    reason === null &&
    unchanged === 0 &&
    differing === 0 &&
    Object.entries(counts).every(
      ([state, count]) => count === (state === 'cancelled' ? asked : 0) || WELL.includes(state),
    );
  const given = await ledger.sheetFlags(run.campaign);
  const cancelled = (info?.cancelled ?? null) !== null;
  const workbook = isWorkbook(info?.manifestPath ?? null);
  const facts = { name, counts, cancelled, place, given, workbook, unchanged, differing };
  const steps = nextSteps({ ...facts, open: false, held: [] });
  const aside = (state: string): string => {
    if (state === 'published' && differing > 0) return ` (${differing} not as requested)`;
    return state === 'drafted' && unchanged > 0 ? ` (${unchanged} could not be changed)` : '';
  };
  const some = Object.entries(counts).flatMap(([state, count]) =>
    count > 0 ? [`${count} ${state}${aside(state)}`] : [],
  );
  return {
    ...about,
    notice: 'run-ended',
    text: `${name} ended: ${some.join(', ')}${reason === null ? '' : ` (${reason})`}`,
    ok,
    reason,
    at: info?.finishedAt ?? new Date().toISOString(),
    next: [...commandsOf(steps), `reelay results ${name}${place}`],
  };
}

/**
 * Why a manifest was refused, without its content: a problem's message quotes the file, which stays on this machine.
 * The line and the code are enough to find the message in `schedule show`.
 */
function withoutExcerpt(code: string | null, reason: string | null): string | null {
  if (code === null || !Object.hasOwn(PROBLEM_CODES, code)) return reason;
  const line = /(?:^|: )(line \d+): /.exec(reason ?? '')?.[1];
  const where = line === undefined ? '' : `${line}: `;
  return `the manifest was refused, nothing was sent: ${where}${PROBLEM_CODES[code as ProblemCode].what} (${code})`;
}

async function whyEarly(ledger: Ledger, run: RunRef, cancelled: string | null): Promise<string | null> {
  if (cancelled !== null) return cancelled;
  return (await ledger.gates(run)).find(({ kind }) => kind === 'stopped')?.reason ?? null;
}
