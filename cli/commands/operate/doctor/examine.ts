import { type Output } from '../../../terminal/output';
import { type Settings, type SharedFlags } from '../../../config/settings';
import { failed, ok, skipped, warning, wrong, type Finding } from './finding';
import { shownSettings, type ShownSetting } from './setting-sources';

export interface Examination {
  findings: Finding[];
  settings: ShownSetting[];
}

/** Checks every part that a run needs, each independently: a broken part hides no other. Writes nothing. */
export async function examine(flags: SharedFlags, output: Output, version: string): Promise<Examination> {
  const program = checkProgram(version);
  const { loadSettings } = await import('../../../config/settings.js');
  let settings: Settings;
  let shown: ShownSetting[];
  try {
    settings = await loadSettings(flags);
    const { loadConfig } = await import('../../../config/config.js');
    const { config } = await loadConfig({ path: flags.config ?? null, cwd: process.cwd() });
    shown = shownSettings({ flags, env: process.env, config, settings });
  } catch (error) {
    return {
      findings: [
        program,
        failed('configuration', error),
        skipped('everything else', 'the configuration can’t be read'),
      ],
      settings: [],
    };
  }
  const [{ checkService }, { checkHome }, { checkLedger }, { checkTemporal }, { checkNotices }, { checkSchedules }] =
    await Promise.all([
      import('./check-service.js'),
      import('./check-home.js'),
      import('./check-ledger.js'),
      import('./check-temporal.js'),
      import('./check-notices.js'),
      import('./check-schedules.js'),
    ]);
  const service = guarded('service', () => checkService(settings, output));
  const home = guarded('home', () => checkHome(settings));
  const ledger = await checkLedger(settings);
  const notices = guarded('notify', () => checkNotices(settings));
  // Opening a ledger with pending migrations would run them.
  const readable =
    ledger.id !== null && ledger.findings.every(({ part, state }) => part !== 'migrations' || state === 'ok');
  const temporal = guarded('temporal', () => checkTemporal(settings, { ledgerId: ledger.id, version, readable }));
  const schedules = guarded('schedules', () => checkSchedules(settings, readable));
  const findings = [program, configuration(settings), ...(await key(settings)), ...(await service)];
  findings.push(...(await home), ...ledger.findings, ...(await temporal), ...(await schedules), ...(await notices));
  return { findings, settings: shown };
}

async function guarded(part: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failed(part, error)];
  }
}

function checkProgram(version: string): Finding {
  const text = `reelay ${version}, Node.js ${process.versions.node}, ${process.platform}-${process.arch}`;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  return old ? wrong('program', text, 'Use Node.js 20.19 or later.') : ok('program', text);
}

function configuration(settings: Settings): Finding {
  return ok('configuration', settings.configPath ?? 'no config file; flags, environment and defaults');
}

/** The key's file should be readable only by its owner; the service's check shows whether the key is accepted. */
async function key(settings: Settings): Promise<Finding[]> {
  if (settings.sandbox) return [];
  try {
    await settings.apiKey();
  } catch (error) {
    return [failed('api-key', error)];
  }
  const file = settings.keyFile;
  if (file === null || process.platform === 'win32') return [ok('api-key', `from ${settings.keyVariable}`)];
  const { stat } = await import('node:fs/promises');
  const open = ((await stat(file)).mode & 0o077) !== 0;
  if (open) return [warning('api-key', `${file} can be read by other users`, `chmod 600 ${file}`)];
  return [ok('api-key', `from ${file}`)];
}
