import Database from 'libsql';

export interface SeenFiring {
  /** ms since the epoch */
  nominalAt: number;
  outcome: string;
  code: string | null;
  reason: string | null;
  /** For its run, if it submitted anything. */
  run: number | null;
}

/** The firings of a schedule, oldest first, read while workers are running. */
export function firingFacts(path: string, schedule: string): SeenFiring[] {
  const database = new Database(path, { readonly: true });
  try {
    return database
      .prepare<[string]>(
        `select nominal_at as nominalAt, outcome, code, reason, run_number as run
         from firings where schedule = ? order by nominal_at, id`,
      )
      .all(schedule) as SeenFiring[];
  } finally {
    database.close();
  }
}

const HAPPENED = new Set(['done', 'incomplete', 'nothing']);
const TOLD = new Set(['missed', 'skipped']);

/** Every nominal time from the first firing to the last has exactly one entry: it ran, or has the reason why it didn't. */
export function checkFirings(firings: readonly SeenFiring[], everyMs: number): string[] {
  const wrong: string[] = [];
  for (const [index, { nominalAt, outcome, code, reason }] of firings.entries()) {
    const at = new Date(nominalAt).toISOString();
    if (!HAPPENED.has(outcome) && !TOLD.has(outcome))
      wrong.push(`the firing of ${at} is ${outcome} (${code ?? 'no code'}): ${reason ?? ''}`);
    if (TOLD.has(outcome) && !reason) wrong.push(`the firing of ${at} was ${outcome} without a reason`);
    const before = firings[index - 1];
    if (before === undefined) continue;
    if (nominalAt === before.nominalAt) wrong.push(`the firing of ${at} is there twice`);
    else if (nominalAt - before.nominalAt !== everyMs)
      wrong.push(`between ${new Date(before.nominalAt).toISOString()} and ${at} firings are neither done nor told`);
  }
  return wrong;
}
