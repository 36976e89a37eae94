/** Workflow ids are paths, so that the Web UI lists a campaign's workflows together. */
export function campaignWorkflowId(campaign: string): string {
  return `campaign/${campaign}`;
}

export function channelWorkflowId(run: { campaign: string; number: number }, channelId: string): string {
  return `campaign/${run.campaign}/${run.number}/${channelId}`;
}

/** A schedule's id in Temporal. */
export function scheduleId(name: string): string {
  return `schedule/${name}`;
}

/**
 * The prefix of its firings' workflow ids; the server appends the nominal time. It refuses an id that it has seen, so a
 * backfill takes another number.
 */
export function firingWorkflowId(name: string, revision: number): string {
  return `firing/${name}/${revision}`;
}

/** One workflow per event: a notice of it is sent once. */
export function noticeWorkflowId(id: string): string {
  return `notice/${id}`;
}

/** Task queues carry the ledger's id: a worker with another ledger never takes a task. */
export function taskQueues(ledgerId: string): { main: string; create: string; upload: string; watch: string } {
  const main = `reelay-${ledgerId}`;
  return { main, create: `${main}-create`, upload: `${main}-upload`, watch: `${main}-watch` };
}

/** Uploads of files that only the workers of one host have. */
export function filesQueue(ledgerId: string, host: string): string {
  return `${taskQueues(ledgerId).main}-files-${host}`;
}

/** The sandbox has a namespace of its own; commands that are shown there need its flag. */
export const SANDBOX_NAMESPACE = 'reelay-sandbox';
