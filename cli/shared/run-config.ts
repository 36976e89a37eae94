import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { type GivenFlag } from '../../wording/given-flags';
import { configPlaces } from '../config/config-file';
import { noteConfig } from '../terminal/texts/command-text';

/** This command line names a config, which counts more than that of a run. */
let isGiven = false;

/** Every command that is shown after this one, for which `--config` was given, needs it too. */
export function noteGivenConfig(path: string | undefined): void {
  isGiven = path !== undefined;
  noteConfig(path === undefined ? null : unlessFound(resolve(path)));
}

/**
 * Commands that are shown for a campaign need the config with which its newest manifest was submitted: named if another
 * one, or none, is found from here.
 */
export async function useConfigOf(ledger: ReadingLedger & RunningLedger, campaign: string): Promise<void> {
  const config = isGiven ? null : await ledger.submittedConfig(campaign);
  if (config === null || !existsSync(config.path)) return;
  const path = unlessFound(config.path);
  if (path === null || (!config.named && !(await isOwn(path)))) return;
  noteConfig(path);
}

/** The flags of the submit of a campaign's newest manifest, if that is this file; null: it isn't, or they aren't known. */
export async function submittedFlags(
  ledger: RunningLedger,
  campaign: string,
  path: string,
): Promise<readonly GivenFlag[] | null> {
  const given = await ledger.givenFlags(campaign, path);
  return given && withoutConfig(given);
}

/** The flags with which a campaign's own manifest was submitted last, whatever sheets have corrected it since. */
export async function manifestFlags(ledger: RunningLedger, campaign: string): Promise<readonly GivenFlag[]> {
  return withoutConfig((await ledger.correctedFlags(campaign)) ?? []);
}

/** The flags that a sheet of corrected rows of a campaign needs, besides those of its manifest. */
export async function sheetFlags(ledger: RunningLedger, campaign: string): Promise<readonly GivenFlag[]> {
  return withoutConfig(await ledger.sheetFlags(campaign));
}

/** The config is part of every command that is shown. */
function withoutConfig(given: readonly GivenFlag[]): readonly GivenFlag[] {
  return given.filter(([flag]) => flag !== '--config');
}

/** A config that a person named is trusted; one that was found has to be this user's own, here as there. */
async function isOwn(path: string): Promise<boolean> {
  const { demandOwnConfig } = await import('../config/config-owner.js');
  return demandOwnConfig(path).then(
    () => true,
    () => false,
  );
}

/** Null if it is the one that is found from the current folder. */
function unlessFound(path: string): string | null {
  const found = [...configPlaces(process.cwd())].find((place) => existsSync(place));
  return found === path ? null : path;
}
