import { type NoticeSettings } from '../../../../activities/notices/find-notices';
import { type Settings } from '../../../config/settings';
import { ok, warning, type Finding } from './finding';

const BOUND_MS = 5_000;
const PART = 'notify';

/** Whether the command could be started and the address can be reached; neither receives anything. */
export async function checkNotices({ notify, notifyLacks }: Settings): Promise<Finding[]> {
  if (notify === null) return [ok(PART, 'no notifications configured (`notify` in reelay.config.yaml sets them)')];
  const findings: Finding[] = [];
  if (notifyLacks !== null)
    findings.push(
      warning(PART, notifyLacks, 'Set it for the workers too; without it no notice is sent to its address.'),
    );
  if (notify.command !== null) findings.push(await checkCommand(notify.command, notify));
  if (notify.url !== null) findings.push(await checkAddress(notify.url));
  return findings;
}

async function checkCommand([program = '']: readonly string[], { folder, env }: NoticeSettings): Promise<Finding> {
  const [{ access, constants, stat }, nodePath] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const bare = !/[/\\]/.test(program);
  const places = bare
    ? (env.PATH ?? '').split(nodePath.delimiter).map((one) => nodePath.resolve(folder, one, program))
    : [nodePath.resolve(folder, program)];
  const endings = process.platform === 'win32' ? ['', '.exe', '.com'] : [''];
  let seen: string | null = null;
  for (const path of places.flatMap((place) => endings.map((ending) => place + ending))) {
    const isFile = (await stat(path).catch(() => null))?.isFile() === true;
    if (!isFile) continue;
    seen ??= path;
    const may = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (may) return ok(PART, `the command ${path}`);
  }
  if (seen !== null) return warning(PART, `the command ${seen} may not be executed`, `chmod +x ${seen}`);
  const where = bare ? `“${program}” is not on the PATH` : `there is no ${nodePath.resolve(folder, program)}`;
  return warning(
    PART,
    `the command can’t be started: ${where}`,
    'A path in notify.command starts at the config’s folder.',
  );
}

/** Only a connection, through the proxy if there is one. Nothing but the origin is shown. */
async function checkAddress(address: string): Promise<Finding> {
  const { origin } = new URL(address);
  const [{ connect }, { findProxy }] = await Promise.all([
    import('node:net'),
    import('../../../../service/connection/proxy.js'),
  ]);
  const proxy = findProxy(origin, process.env);
  const target = new URL(proxy?.origin ?? origin);
  const through = proxy === undefined ? '' : ` (through the proxy ${proxy.origin})`;
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const problem = await new Promise<string | null>((done) => {
    const socket = connect({ host, port, timeout: BOUND_MS });
    const end = (what: string | null): void => {
      socket.destroy();
      done(what);
    };
    socket.once('connect', () => {
      end(null);
    });
    socket.once('timeout', () => {
      end('no answer');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(error.code ?? error.message);
    });
  });
  if (problem === null) return ok(PART, `${origin} can be reached${through}`);
  return warning(
    PART,
    `${origin} can’t be reached${through}: ${problem}`,
    'Notices to it are retried for a day; check the address and the network.',
  );
}
