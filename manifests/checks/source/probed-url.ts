import { ProblemList, type Problem } from '../../problems/problems';
import { type ManifestRow } from '../../types';

/** The result of probing a URL. `refused`: it leads where no request may go, and how. */
export type ProbedUrl =
  | { kind: 'answer'; status: number; contentType: string | null }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'refused'; why: 'private' | 'scheme' | 'redirects'; reason: string };

const PER_HOST = 3;

/** The first rows with a URL to send, at most three different URLs per host. */
export function sampleUrls(rows: readonly ManifestRow[]): ManifestRow[] {
  const byHost = new Map<string, Set<string>>();
  const sample: ManifestRow[] = [];
  for (const row of rows) {
    if (row.sourceKind !== 'url' || row.source === null || row.skip || !URL.canParse(row.source)) continue;
    const { host } = new URL(row.source);
    const urls = byHost.get(host) ?? new Set();
    byHost.set(host, urls);
    if (urls.size >= PER_HOST || urls.has(row.source)) continue;
    urls.add(row.source);
    sample.push(row);
  }
  return sample;
}

/** The problems of the probed URLs: only warnings, since the service may see them differently. */
export function probeProblems(probes: readonly { row: ManifestRow; probed: ProbedUrl }[]): Problem[] {
  const problems = new ProblemList();
  for (const { row, probed } of probes) {
    problems.startRow();
    const message = complaint(probed);
    if (message === null) continue;
    const code = codeOf(probed);
    problems.add({ code, at: { line: row.line, column: 'source' }, value: row.source, message });
  }
  return problems.finish();
}

function codeOf(probed: ProbedUrl): 'url-page' | 'url-answer' | 'url-not-public' {
  if (probed.kind === 'refused' && probed.why === 'private') return 'url-not-public';
  return probed.kind === 'answer' && probed.status < 300 ? 'url-page' : 'url-answer';
}

function complaint(probed: ProbedUrl): string | null {
  if (probed.kind === 'unreachable') return `The URL can’t be reached from here: ${probed.reason}.`;
  if (probed.kind === 'refused')
    return `The URL ${probed.reason}${probed.why === 'private' ? '; no request was made to it' : ''}.`;
  const { status, contentType } = probed;
  if (status === 401 || status === 403)
    return `The URL asks for a login or refuses (HTTP ${status}); the service has none.`;
  if (status === 404 || status === 410) return `Nothing is at the URL (HTTP ${status}).`;
  // Anything else may concern only this request: a refused method, a limit, a temporary problem.
  if (status >= 300) return null;
  return /^\s*(text\/html|application\/xhtml\+xml)/i.test(contentType ?? '')
    ? 'The URL shows a web page, not a video.'
    : null;
}
