import { join } from 'node:path';
import { type Stack } from '../../embedded/stack/stack';
import { type TemporalPlace } from './engine';
import { UsageError } from '../errors/errors';
import { type Output } from '../terminal/output';
import { childEnvironment, type Settings } from '../config/settings';

/** The embedded Temporal (and the sandbox) of this home: started, or attached to when they run already. */
export async function openOwnStack(
  settings: Settings,
  output: Output,
): Promise<{ stack: Stack; place: TemporalPlace }> {
  const temporal = await settings.temporal();
  const [{ openStack }, { optionsFromFlags }] = await Promise.all([
    import('../../embedded/stack/stack.js'),
    import('../../sandbox/flags.js'),
  ]);
  const faults = settings.sandboxFaults;
  // A wrong one is told now, and not by a process that doesn't start.
  optionsFromFlags({ fault: faults });
  const stack = await openStack({
    home: settings.home,
    namespace: temporal.namespace,
    sandbox: settings.sandbox ? sandboxProcess(settings) : false,
    onNotice: (text) => {
      output.note(text);
    },
  });
  if (faults.length > 0 && stack.role === 'attached') {
    await stack.release();
    throw new UsageError(
      '--fault: the sandbox of this home runs already, and takes no more faults',
      'It takes them when it starts: stop the `reelay up --sandbox` or the run that started it, then repeat the command, ' +
        'or start it again with them by `reelay up --sandbox --fault RULE`.',
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
 * The sandbox as a child process of this same program; it ends when its standard input closes. It shows titles, so that
 * a rehearsal also shows how a create whose answer was lost is found again.
 */
function sandboxProcess(settings: Settings): { command: string; args: string[]; env: Record<string, string> } {
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
      ...settings.sandboxFaults.flatMap((fault) => ['--fault', fault]),
    ],
    env: childEnvironment(
      undefined,
      settings.accounts.map(({ keyVariable }) => keyVariable),
    ),
  };
}
