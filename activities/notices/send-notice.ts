import { request } from 'undici';
import { type Log } from '../deps';
import { outgoing } from '../../service/http/outgoing';
import { type SendNoticeInput } from './contract';
import { manifestUrl, type NoticeDeps } from './find-notices';
import { notSent } from './not-sent';
import { noticeText } from './notice-text';
import { runCommand } from './run-command';

const BOUND_MS = 60_000;
/** How long a stopping process waits for a notice that is being sent, ms; the next worker sends it again. */
const STOPPING_MS = 3_000;

/** Sends a notice to one target. Errors contain only the origin of the address, because the rest may be secret. */
export async function sendNotice(
  deps: NoticeDeps & { log: Log; stopping: AbortSignal },
  { notice, target }: SendNoticeInput,
): Promise<void> {
  const { ledger, notices, log, stopping } = deps;
  const json = JSON.stringify(await noticeText(ledger, notice, notices?.sandbox ?? false));
  await bounded(stopping, async (signal) => {
    if (target === 'command') {
      // Removed from the configuration meanwhile: the notice is no longer wanted.
      if (notices?.command) await runCommand({ ...notices, command: notices.command }, json, { log, signal });
      return;
    }
    const url = target === 'url' ? (notices?.url ?? null) : await manifestUrl(ledger, notice.subject);
    if (url !== null) await post(url, json, { id: notice.id, signal });
  });
}

/** For a minute, or until a moment after the process begins to stop. */
async function bounded(stopping: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const late = new AbortController();
  const abort = (): void => {
    late.abort();
  };
  const timers = [setTimeout(abort, BOUND_MS)];
  const stop = (): void => {
    timers.push(setTimeout(abort, STOPPING_MS));
  };
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop);
  try {
    await work(late.signal);
  } finally {
    stopping.removeEventListener('abort', stop);
    for (const timer of timers) clearTimeout(timer);
  }
}

async function post(address: string, json: string, { id, signal }: { id: string; signal: AbortSignal }): Promise<void> {
  const { url, headers, ...way } = outgoing(address);
  const { origin } = new URL(url);
  const answer = await request(url, {
    ...way,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': id },
    body: json,
    signal,
  }).catch((error: unknown) => {
    const { code, name } = error as NodeJS.ErrnoException;
    throw notSent(`${origin} could not be reached (${code ?? name})`);
  });
  await answer.body.dump().catch(() => undefined);
  const { statusCode } = answer;
  if (statusCode < 200 || statusCode > 299) throw notSent(`${origin} answered ${statusCode}`);
}
