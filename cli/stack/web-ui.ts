/** Runs of campaigns, without the channels, firings and notices that would be listed between them. */
const CAMPAIGNS = 'WorkflowType = "publishCampaign"';

/** Address of the list of campaigns; null if no UI is known. */
export function webUiCampaigns(webUi: string | null, namespace: string): string | null {
  return webUi === null ? null : `${root(webUi, namespace)}?query=${encodeURIComponent(CAMPAIGNS)}`;
}

/**
 * Address of a run in the Temporal Web UI; null if no UI is known. Without its run id, the newest execution of the
 * workflow; with it, the tab with its details.
 */
export function webUiRun(
  webUi: string | null,
  namespace: string,
  workflowId: string,
  runId: string | null = null,
): string | null {
  if (webUi === null) return null;
  const run = runId === null ? '' : `/${encodeURIComponent(runId)}/${DETAILS_TAB}`;
  return `${root(webUi, namespace)}/${encodeURIComponent(workflowId)}${run}`;
}

/** The tab with the current details: the run's state, its problems, and what to do. */
const DETAILS_TAB = 'user-metadata';

function root(webUi: string, namespace: string): string {
  return `${webUi.replace(/(?<!\/)\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}
