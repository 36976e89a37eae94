/** A fault that somebody could make in the product: one text of one file in place of another. */
export interface Mutation {
  name: string;
  /** The rule that it drops, as the table of docs/explanation/proof.md has it. */
  rule: string;
  file: string;
  from: string;
  to: string;
}

/** Faults that the simulation has to find, each within a minute. `test/simulate/mutations.test.ts` checks that they can be made. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'no-fence',
    rule: 'a worker asks the ledger again right before the first byte',
    file: 'activities/publish/create-publications.ts',
    from: 'open = await deps.ledger.maySend(rowId, attempt);',
    to: 'open = (await deps.ledger.maySend(rowId, attempt)) || true;',
  },
  {
    name: 'claim-after-send',
    rule: 'the intent to send is in the ledger before anything is sent',
    file: 'ledger/attempts/claim.ts',
    from: 'await q.intend(tx, {',
    to: 'if (attempt < 0) await q.intend(tx, {',
  },
  {
    name: 'claimed-twice',
    rule: 'a row that is being created, or is out, can’t be claimed',
    file: 'ledger/attempts/claim-gates.ts',
    from: '  stillUnsent,\n',
    to: '',
  },
  {
    name: 'one-scan',
    rule: 'two scans in a row have to agree',
    file: 'activities/reconcile/decide.ts',
    from: 'const [before, last] = scans.slice(-2);',
    to: 'const [before, last] = [scans.at(-1), scans.at(-1)];',
  },
  {
    name: 'no-settling',
    rule: 'absence counts only after the settling time',
    file: 'activities/reconcile/decide.ts',
    from: 'return Math.max(own, 2 * list.slowestMs, list.quickestMs ?? 0, attempt.waitMs);',
    to: 'return Math.min(0, own);',
  },
  {
    name: 'incomplete-list',
    rule: 'a scan counts only if the account’s own publications are in it',
    file: 'activities/reconcile/decide.ts',
    from: 'scan.full && scan.current && scan.settled;',
    to: 'scan.full && scan.settled;',
  },
  {
    name: 'unproven-list',
    rule: 'absence counts only where own creates were seen in the list before',
    file: 'activities/reconcile/decide.ts',
    from: "if (attempt.listProven) return { kind: 'repeat' };",
    to: "return { kind: 'repeat' };",
  },
  {
    name: 'candidates-ignored',
    rule: 'nothing is repeated while a publication could be the row’s',
    file: 'activities/reconcile/decide.ts',
    from: 'if (candidates.length === 0 && newest?.candidates.length === 0) {',
    to: 'if (newest !== undefined) {',
  },
  {
    name: 'page-is-the-list',
    rule: 'a short page is not the end of the list',
    file: 'activities/reconcile/list-scan.ts',
    from: '    offset += ids.length - overlap;',
    to: '    if (ids.length < PAGE) ended = true;\n    offset += ids.length - overlap;',
  },
  {
    name: 'rivals-of-one-run',
    rule: 'lost creates of every campaign of an account are weighed together',
    file: 'activities/reconcile/account-facts.ts',
    from: ".filter(({ values }) => values.via !== 'direct')",
    to: ".filter((one) => one.values.via !== 'direct' && group.some((own) => own.rowId === one.rowId))",
  },
  {
    name: 'baseline-ignored',
    rule: 'what was there before a run is not what it made',
    file: 'ledger/attempts/lost-attempts.ts',
    from: 'knownBefore: before(campaign, run),',
    to: 'knownBefore: before(campaign, run) === null ? null : [],',
  },
  {
    name: 'first-that-fits',
    rule: 'adopted is only what one assignment alone explains',
    file: 'activities/reconcile/assignment.ts',
    from: 'if (claimant !== undefined && claimants.size === 1)',
    to: 'if (claimant !== undefined)',
  },
  {
    name: 'similar-is-the-same',
    rule: 'a similar title is no proof',
    file: 'activities/reconcile/evidence.ts',
    from: "    case 'near':\n      return evidence('possibly');",
    to: "      return evidence('possibly');\n    case 'near':\n      return evidence('certainly');",
  },
  {
    name: 'failure-is-refusal',
    rule: 'a 5xx says nothing of what was created',
    file: 'activities/publish/failure-table.ts',
    from: "    case 'connect':\n    case 'server':",
    to: "    case 'server':\n      return { kind: 'never-sent', code: 'unreachable', message };\n    case 'connect':",
  },
  {
    name: 'lost-is-unsent',
    rule: 'a connection that breaks says nothing of what was created',
    file: 'activities/publish/failure-table.ts',
    from: "    case 'lost':\n",
    to: "    case 'lost':\n      return { kind: 'never-sent', code: 'unreachable', message };\n",
  },
  {
    name: 'throttled-is-unsent',
    rule: '429 is trusted only where the config says so',
    file: 'activities/publish/failure-table.ts',
    from: 'error.status === 429 && context.trust429',
    to: 'error.status === 429',
  },
  {
    name: 'no-spool',
    rule: 'an answer that the ledger can’t take is kept on the disk',
    file: 'activities/publish/recording.ts',
    from: 'if (refusal === null) await deps.spool.add(entry);',
    to: 'if (refusal === null) await Promise.resolve();',
  },
  {
    name: 'spool-left',
    rule: 'what was kept on the disk comes into the ledger',
    file: 'activities/publish/spool.ts',
    from: 'for (const name of await namesIn(this.folder, log)) {',
    to: 'for (const name of (await namesIn(this.folder, log)).slice(0, 0)) {',
  },
  {
    name: 'late-answer-dropped',
    rule: 'an answer is recorded, however late it comes',
    file: 'ledger/attempts/record.ts',
    from: 'if (isRepeated(attempt, outcome)) return { state: row.state };',
    to: 'if (isRepeated(attempt, outcome) || attempt.ended_at !== null) return { state: row.state };',
  },
  {
    name: 'silent-for-ever',
    rule: 'the row of a worker that stays silent is left to a person',
    file: 'activities/reconcile/lost-workers.ts',
    from: 'if (this.silentForMs(attempt) > timings.silentUnconfirmedMs) {',
    to: 'if (this.silentForMs(attempt) > Infinity) {',
  },
  {
    name: 'closed-too-early',
    rule: 'a run closes only when all its rows have ended',
    file: 'ledger/runs/runs.ts',
    from: 'if (pending || run.takes_over !== null || (await countOpen(tx, run.id)) > 0) return false;',
    to: 'if (pending || run.takes_over !== null || ((await countOpen(tx, run.id)) > 0 && counts.processing === undefined)) return false;',
  },
];
