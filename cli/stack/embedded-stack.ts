import { join } from 'node:path';
import { type Stack } from '../../embedded/stack/stack';
import { type TemporalPlace } from './engine';
import { UsageError } from '../errors/errors';
import { type Output } from '../terminal/output';
import { type Settings } from '../config/settings';

/** The embedded Temporal (and the sandbox) of this home: started, or joined if they are already running. */
export async function openOwnStack(
  settings: Settings,
  output: Output,
): Promise<{ stack: Stack; place: TemporalPlace }> {
  const temporal = await settings.temporal();
  const [{ openStack }, { optionsFromFlags }] = await Promise.all([
    import('../../embedded/stack/stack.js'),
    import('../../sandbox/flags.js'),
  ]);
  const { sandboxFaults: fault, sandboxBehaviours: behaviour } = settings;
  // An invalid one is reported now, and not by a process that doesn't start.
  optionsFromFlags({ fault, behaviour });
  const stack = await openStack({
    home: settings.home,
    namespace: temporal.namespace,
    sandbox: settings.sandbox ? sandboxProcess(settings) : false,
    onNotice: (text) => {
      output.note(text);
    },
  });
  const late = fault.length > 0 ? '--fault' : '--behaviour';
  if (fault.length + behaviour.length > 0 && stack.role === 'attached') {
    await stack.release();
    throw new UsageError(
      `${late}: the sandbox of this home is already running, and takes ${late} only when it starts`,
      'Stop the `reelay up --sandbox` or the run that started it, then repeat the command, ' +
        `or start it again by \`reelay up --sandbox ${late} …\`.`,
    );
  }
  const { address, namespace, webUi } = stack.temporal;
  const verb = stack.role === 'owner' ? 'Started' : 'Attached to';
  output.note(`${verb} Temporal at ${address} (namespace ${namespace})${webUi === null ? '' : `, Web UI ${webUi}`}`);
  if (stack.sandbox !== null)
    output.note(`${verb} the SANDBOX at ${stack.sandbox.baseUrl}: nothing is published for real`);
  return { stack, place: { ...temporal, address, namespace, webUi } };
}

/**
 * The sandbox as a child process of this same program; it ends when its standard input closes. It has the configured
 * platforms and the profiles that `init` read, so that a rehearsal behaves like the real run. It shows titles, so that
 * a rehearsal also shows how a create whose answer was lost is found again.
 */
function sandboxProcess(settings: Settings): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [
      join(__dirname, '..', 'main.js'),
      'sandbox',
      '--serve',
      '--dir',
      join(settings.home, 'service'),
      '--open',
      'echoTitle=true',
      '--adopt',
      settings.adopted,
      ...sandboxPlatforms(settings.platforms).flatMap((platform) => ['--platform', platform]),
      ...settings.sandboxFaults.flatMap((fault) => ['--fault', fault]),
      ...settings.sandboxBehaviours.flatMap((name) => ['--behaviour', name]),
    ],
  };
}

/** In the syntax of `--platform`: the configured ones, and a separate name for a role that none of them has. */
export function sandboxPlatforms(platforms: Settings['platforms']): string[] {
  const roles = { short: 'platform_a', long: 'platform_b', photo: 'platform_c' };
  const names = new Set(platforms.map(({ name }) => name));
  const lacking = Object.entries(roles).filter(([role]) => !platforms.some(({ kind }) => kind === role));
  return [
    ...platforms.map(({ name, kind }) => `${kind}=${name}`),
    ...lacking.map(([role, name]) => `${role}=${names.has(name) ? `sandbox_${role}` : name}`),
  ];
}
