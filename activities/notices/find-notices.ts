import { createHash } from 'node:crypto';
import { type Ledger } from '../../ledger/ledger';
import { type CampaignSettings, type GateInfo, type RunRef } from '../../ledger/model/types';
import { type NoticeKind } from '../../manifests/settings/notify-setting';
import { type NoticeBrief, type NoticeSubject, type NoticeTarget } from './contract';

/** How this process notifies people; from the configuration, never from a manifest. */
export interface NoticeSettings {
  /** Program and arguments, started without a shell. */
  command: readonly string[] | null;
  /** Where the command is started: the configuration's folder. */
  folder: string;
  /** The command's environment, without keys. */
  env: Readonly<Record<string, string>>;
  url: string | null;
  on: readonly NoticeKind[];
  sandbox: boolean;
}

export interface NoticeDeps {
  ledger: Ledger;
  notices?: NoticeSettings;
}

/** The notice of a run's end; null if no one is configured to receive it. */
export async function endedNotice(deps: NoticeDeps, run: RunRef): Promise<NoticeBrief | null> {
  const name = `${run.campaign}.${run.number}`;
  const info = await deps.ledger.findRun(run);
  return brief(deps, `${name}/ended`, { kind: 'ended', run }, info?.settings ?? null);
}

/** What is parked for a run: its channels, and accounts. */
export async function parkedGates(ledger: Ledger, run: RunRef): Promise<GateInfo[]> {
  return (await ledger.gates(run)).filter(({ kind }) => kind === 'parked');
}

/**
 * Notices of what is parked for a run, without those that were already sent. `known`: what is parked, if it was already
 * read.
 */
export async function parkedNotices(
  deps: NoticeDeps,
  run: RunRef,
  sentIds: readonly string[] = [],
  known?: readonly GateInfo[],
): Promise<NoticeBrief[]> {
  const parked = known ?? (await parkedGates(deps.ledger, run));
  if (parked.length === 0) return [];
  const info = await deps.ledger.findRun(run);
  return parked.flatMap(({ scope, since }) => {
    // An account's parking holds several runs, but is one event.
    const mark = createHash('sha256').update(`${scope} ${since}`).digest('hex').slice(0, 12);
    const made = brief(deps, `parked/${mark}`, { kind: 'parked', run, scope, since }, info?.settings ?? null);
    return made === null || sentIds.includes(made.id) ? [] : [made];
  });
}

/** The notice of a firing that was refused or failed, according to the notify setting of the last accepted manifest. */
export async function refusedNotice(deps: NoticeDeps, firing: number): Promise<NoticeBrief | null> {
  const { schedule, outcome } = await deps.ledger.firings.get(firing);
  if (outcome !== 'refused' && outcome !== 'failed') return null;
  const subject: NoticeSubject = { kind: 'refused', schedule, firing };
  return brief(deps, `${schedule}/firing-${firing}/refused`, subject, await settingsOf(deps.ledger, schedule));
}

async function settingsOf(ledger: Ledger, schedule: string): Promise<CampaignSettings | null> {
  const before = (await ledger.firings.list(schedule, 50)).find(({ run }) => run !== null)?.run;
  if (!before) return null;
  return (await ledger.findRun(before))?.settings ?? null;
}

function brief(
  { notices }: NoticeDeps,
  id: string,
  subject: NoticeSubject,
  settings: CampaignSettings | null,
): NoticeBrief | null {
  const targets: NoticeTarget[] = [];
  if (notices?.on.includes(subject.kind) === true) {
    if (notices.command !== null) targets.push('command');
    if (notices.url !== null) targets.push('url');
  }
  const own = settings?.notify;
  if (own !== undefined && (own.on === undefined || own.on.includes(subject.kind))) targets.push('manifest-url');
  return targets.length === 0 ? null : { id, subject, targets };
}

/** The address that the manifest of a notice's campaign names. */
export async function manifestUrl(ledger: Ledger, subject: NoticeSubject): Promise<string | null> {
  if (subject.kind === 'refused') return (await settingsOf(ledger, subject.schedule))?.notify?.url ?? null;
  const { run } = subject;
  return (await ledger.findRun(run))?.settings?.notify?.url ?? null;
}
