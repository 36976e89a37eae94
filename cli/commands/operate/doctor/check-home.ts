import { type StackRecord } from '../../../../embedded/stack/home';
import { type Settings } from '../../../config/settings';
import { QUARANTINE_FIX } from '../../../summary/attention';
import { EXIT } from '../../../errors/exit-codes';
import { showDuration } from '../../../../wording/times';
import { failed, ok, skipped, warning, wrong, type Finding } from './finding';

const GB = 1_000_000_000;
const LITTLE = 5 * GB;
const TOO_LITTLE = GB / 5;

/**
 * The home folder, which process runs a stack in it, the free space on its disk, and outcomes that could not be
 * recorded.
 */
export async function checkHome(settings: Settings): Promise<Finding[]> {
  const { home, spoolFolder } = settings;
  const found = await folder(home);
  const always = [found, await owner(home), await disk(home)];
  return found.state === 'error'
    ? always
    : [...always, ...(await temporalDatabase(home)), ...(await spool(spoolFolder))];
}

/** The database of the embedded Temporal, if there is one: it has nothing that the ledger lacks. */
async function temporalDatabase(home: string): Promise<Finding[]> {
  const [{ existsSync }, { databasePath, MOVE_AWAY }, { databaseFault }] = await Promise.all([
    import('node:fs'),
    import('../../../../embedded/server/temporal-server.js'),
    import('../../../../ledger/maintenance/inspect.js'),
  ]);
  const path = databasePath(home);
  if (!existsSync(path)) return [];
  try {
    const fault = await databaseFault(path);
    if (fault === null) return [ok('temporal-database', path)];
    return [wrong('temporal-database', `${path} is damaged: ${fault}`, MOVE_AWAY, EXIT.unreachable)];
  } catch (error) {
    return [failed('temporal-database', error)];
  }
}

async function spool(spoolFolder: string): Promise<Finding[]> {
  const { quarantinedFiles } = await import('../../../../activities/publish/spool/quarantine.js');
  const files = await quarantinedFiles(spoolFolder);
  return files.map(({ path, reason }) => warning('spool', `${path} could not be recorded: ${reason}`, QUARANTINE_FIX));
}

async function folder(home: string): Promise<Finding> {
  const { access, constants, stat } = await import('node:fs/promises');
  const { userInfo } = await import('node:os');
  try {
    const found = await stat(home);
    if (!found.isDirectory()) return wrong('home', `${home} is not a folder`, 'Set REELAY_HOME to a folder.');
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const mine = process.platform === 'win32' || found.uid === userInfo().uid;
    if (!mine)
      return warning(
        'home',
        `${home} belongs to another user (uid ${found.uid})`,
        'Files made in it may be unreadable for that user; use a home of your own.',
      );
    if ((found.mode & 0o077) !== 0 && process.platform !== 'win32')
      return warning(
        'home',
        `${home} can be read by other users`,
        `The ledger holds addresses with signed queries: chmod 700 ${home}`,
      );
    return ok('home', home);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return ok('home', `${home} doesn’t exist yet; the first run creates it`);
    return wrong(
      'home',
      `${home} can't be used (${code ?? 'unknown reason'})`,
      'Check its permissions, or set REELAY_HOME to another folder.',
    );
  }
}

async function owner(home: string): Promise<Finding> {
  const [{ readRecord }, { isProcessAlive }] = await Promise.all([
    import('../../../../embedded/stack/home.js'),
    import('../../../../host/process-identity.js'),
  ]);
  const record = await readRecord(home);
  if (record === null) return ok('home-owner', 'no reelay process is using it');
  const alive = isProcessAlive(record.owner);
  const pid = String(record.owner.pid);
  if (alive === 'dead') return ok('home-owner', `process ${pid} used it and has ended; the next run takes over`);
  if (alive === 'unknown')
    return warning(
      'home-owner',
      `process ${pid} of another host or container is using it`,
      'A home is for one host: set REELAY_HOME to a folder of this one.',
    );
  return answering(record, pid);
}

async function answering(record: StackRecord, pid: string): Promise<Finding> {
  const since = showDuration(Date.now() - Date.parse(record.startedAt));
  const text = `process ${pid} is using it (${record.state}, for ${since})`;
  if (record.state !== 'ready' || record.controlSocket === null) return ok('home-owner', text);
  const { connectControl } = await import('../../../../embedded/stack/control-socket.js');
  const connection = await connectControl(record.controlSocket, 2_000);
  if (typeof connection === 'object') {
    connection.close();
    return ok('home-owner', text);
  }
  return wrong(
    'home-owner',
    `${text}, and does not answer: it may be stopped`,
    `Let it continue (kill -CONT ${pid}), or end it (kill -9 ${pid}) and start again.`,
    7,
  );
}

async function disk(home: string): Promise<Finding> {
  const [{ statfs }, nodePath] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  for (let path = home; ; path = nodePath.dirname(path)) {
    try {
      const { bavail, bsize } = await statfs(path);
      const free = bavail * bsize;
      const text = `${(free / GB).toFixed(1)} GB free for ${home}`;
      if (free < TOO_LITTLE)
        return wrong('disk', text, 'Free some space: nothing is sent while the ledger can’t be written.', 7);
      if (free < LITTLE) return warning('disk', text, 'Free some space before a long run.');
      return ok('disk', text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return failed('disk', error);
      if (nodePath.dirname(path) === path) return skipped('disk', 'the free space can’t be read');
    }
  }
}
