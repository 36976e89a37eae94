import { existsSync, readFileSync } from 'node:fs';
import { type SandboxOptions } from '../../sandbox/options';
import { type Settings } from '../config/settings';
import { sandboxPlatforms } from './embedded-stack';
import { runningStack, sandboxAddress } from './engine';

/**
 * The service for a command that only reads its profiles. In a rehearsal without a running sandbox: one in this process
 * and in memory, for as long as the command takes. It has the profiles of the one that a run starts, and knows nothing
 * of publications.
 */
export async function serviceForProfiles(
  settings: Settings,
): Promise<{ address: string | undefined; close: () => Promise<void> }> {
  if (!settings.sandbox || (await runningStack(settings))?.sandbox)
    return { address: await sandboxAddress(settings), close: async () => undefined };
  const [{ startSandbox }, { optionsFromFlags }] = await Promise.all([
    import('../../sandbox/server.js'),
    import('../../sandbox/flags.js'),
  ]);
  const running = await startSandbox({
    ...optionsFromFlags({ platform: sandboxPlatforms(settings.platforms) }),
    adopted: await adoptedFrom(settings.adopted),
  });
  return { address: running.baseUrl, close: () => running.close() };
}

/** The profiles in a file that `init` wrote, read each time that they are asked for; there may be none yet. */
export async function adoptedFrom(path: string): Promise<NonNullable<SandboxOptions['adopted']>> {
  const { parseAdopted } = await import('../../sandbox/profiles.js');
  return () => (existsSync(path) ? parseAdopted(readFileSync(path, 'utf8')) : []);
}
