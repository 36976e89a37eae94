/** Address of a run in the Temporal Web UI; null when there is no UI known. */
export function webUiRun(webUi: string | null, namespace: string, workflowId: string): string | null {
  if (webUi === null) return null;
  return `${webUi.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
