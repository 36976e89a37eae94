import { spawn } from 'node:child_process';

/** The command that opens an address on this desktop; null if there is none. */
export function desktopOpener(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): { command: string; args: string[] } | null {
  // A remote session, or a CI job, has no desktop.
  if ((env.SSH_CONNECTION ?? '') !== '' || (env.CI ?? '') !== '') return null;
  if (platform === 'darwin') return { command: 'open', args: [] };
  if (platform === 'win32') return { command: 'explorer.exe', args: [] };
  const display = (env.DISPLAY ?? '') !== '' || (env.WAYLAND_DISPLAY ?? '') !== '';
  return display ? { command: 'xdg-open', args: [] } : null;
}

/** Opens an http(s) address; returns false if that is not possible. Doesn't wait for the browser. */
export async function openAddress(address: string, opener: { command: string; args: string[] }): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false;
  const child = spawn(opener.command, [...opener.args, address], { stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
