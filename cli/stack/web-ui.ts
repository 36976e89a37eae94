/**
 * Address of a run in the Temporal Web UI; null when there is no UI known. Without its run id it is that of the newest
 * execution of the workflow.
 */
export function webUiRun(
  webUi: string | null,
  namespace: string,
  workflowId: string,
  runId: string | null = null,
): string | null {
  if (webUi === null) return null;
  const run = runId === null ? '' : `/${encodeURIComponent(runId)}`;
  return `${webUi.replace(/(?<!\/)\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}${run}`;
}
