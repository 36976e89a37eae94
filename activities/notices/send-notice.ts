import { spawn } from 'node:child_process';
import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';
import { type Log } from '../deps';
import { type SendNoticeInput } from './contract';
import { manifestUrl, type NoticeDeps, type NoticeSettings } from './find-notices';
import { noticeText } from './notice-text';

const BOUND_MS = 60_000;
const SAID_AT_MOST = 2_000;

/** Sends a notice to one target. Nothing of the address but its origin stands in an error: it may be a secret. */
export async function sendNotice(deps: NoticeDeps & { log: Log }, { notice, target }: SendNoticeInput): Promise<void> {
  const { ledger, notices, log } = deps;
  const json = JSON.stringify(await noticeText(ledger, notice, notices?.sandbox ?? false));
  if (target === 'command') {
    // Taken out of the configuration meanwhile: nobody wants it any more.
    if (notices?.command) await runCommand({ ...notices, command: notices.command }, json, log);
    return;
  }
  const url = target === 'url' ? (notices?.url ?? null) : await manifestUrl(ledger, notice.subject);
  if (url !== null) await post(url, json, notice.id);
}

async function post(url: string, json: string, id: string): Promise<void> {
  const { origin } = new URL(url);
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: json,
    signal: AbortSignal.timeout(BOUND_MS),
  }).catch((error: unknown) => {
    const { code, name } = error as NodeJS.ErrnoException;
    throw failed(`${origin} could not be reached (${code ?? name})`);
  });
  await answer.body.dump().catch(() => undefined);
  const { statusCode } = answer;
  if (statusCode < 200 || statusCode > 299) throw failed(`${origin} answered ${statusCode}`);
}

/** The JSON goes to its standard input; no shell reads anything of it. */
async function runCommand(
  { command, folder, env }: NoticeSettings & { command: readonly string[] },
  json: string,
  log: Log,
): Promise<void> {
  const [program = '', ...args] = command;
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, env, shell: false, stdio: ['pipe', 'ignore', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), BOUND_MS);
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said = (said + piece.toString()).slice(-SAID_AT_MOST);
    });
    // One that doesn't read its input closes it: that is its business.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${json}\n`);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(failed(`the notice’s command could not be started (${error.code ?? error.name})`));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) {
        resolve();
        return;
      }
      // What it said may be anything: it stays on this machine.
      log.warn('the notice’s command failed', { code, signal, said });
      reject(failed(`the notice’s command ended with ${signal ?? `code ${String(code)}`}`));
    });
  });
}

function failed(message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'NoticeNotSent' });
}
