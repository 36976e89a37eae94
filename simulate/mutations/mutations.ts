/** A fault that a developer could introduce: one text of one file replaced by another. */
export interface Mutation {
  name: string;
  /** The rule that it drops, as in the table of docs/explanation/proof.md. */
  rule: string;
  file: string;
  from: string;
  to: string;
}

/**
 * Faults that the simulation has to find, each within a minute. `test/simulate/mutations.test.ts` checks that they can
 * be applied.
 */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'no-fence',
    rule: 'a worker asks the ledger again right before the first byte',
    file: 'activities/publish/send-row.ts',
    from: 'open = await deps.ledger.maySend(rowId, attempt, deps.worker.id);',
    to: 'open = (await deps.ledger.maySend(rowId, attempt, deps.worker.id)) || true;',
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
    rule: 'a row that is being created, or is live, can’t be claimed',
    file: 'ledger/attempts/claim-gates.ts',
    from: '  stillUnsent,\n',
    to: '',
  },
  {
    name: 'one-scan',
    rule: 'two consecutive scans have to agree',
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
    name: 'missing-is-deleted',
    rule: '404 for a publication that no read has shown is no deletion',
    file: 'activities/reconcile/list-scan.ts',
    from: 'deleted === null || notedSequence >= newest',
    to: 'deleted !== null && notedSequence >= newest',
  },
  {
    name: 'seen-is-deleted',
    rule: '404 is a deletion only if the list shows a newer publication',
    file: 'activities/reconcile/list-scan.ts',
    from: 'deleted === null || notedSequence >= newest',
    to: 'deleted === null || notedSequence < 0',
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
    rule: 'what existed before a run was not created by it',
    file: 'ledger/attempts/lost-attempts.ts',
    from: 'knownBefore: before(campaign, run),',
    to: 'knownBefore: before(campaign, run) === null ? null : [],',
  },
  {
    name: 'first-that-fits',
    rule: 'a publication is adopted only if a single assignment explains it',
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
    name: 'refusal-of-another',
    rule: 'a refused create is looked for by the row that takes its place too',
    file: 'ledger/attempts/unproven-refusals.ts',
    from: "...(sourceHash === '' ? [] : await",
    to: "...(sourceHash !== 'none' ? [] : await",
  },
  {
    name: 'failure-is-refusal',
    rule: 'a 5xx doesn’t show whether anything was created',
    file: 'activities/publish/failure-table.ts',
    from: "    case 'connect':\n    case 'server':",
    to: "    case 'server':\n      return { kind: 'never-sent', code: 'unreachable', message };\n    case 'connect':",
  },
  {
    name: 'lost-is-unsent',
    rule: 'a broken connection doesn’t show whether anything was created',
    file: 'activities/publish/failure-table.ts',
    from: "    case 'lost':\n",
    to: "    case 'lost':\n      return { kind: 'never-sent', code: 'unreachable', message };\n",
  },
  {
    name: 'throttled-is-unsent',
    rule: '429 is trusted only if the config says so',
    file: 'activities/publish/failure-table.ts',
    from: 'error.status === 429 && context.trust429',
    to: 'error.status === 429',
  },
  {
    name: 'no-spool',
    rule: 'an answer that the ledger can’t take is stored on disk',
    file: 'activities/publish/recording.ts',
    from: 'await deps.spool.add(entry);',
    to: 'await Promise.resolve();',
  },
  {
    name: 'spool-left',
    rule: 'what was stored on disk is recorded in the ledger',
    file: 'activities/publish/spool/spool.ts',
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
  {
    name: 'file-unchecked',
    rule: 'a form is closed only after a last check of its file',
    file: 'service/upload/upload.ts',
    from: '  await file.assertUnchanged();',
    to: '  await Promise.resolve();',
  },
  {
    name: 'direct-repeated',
    rule: 'a direct publish whose answer was lost is left to a person',
    file: 'activities/reconcile/attempt-reconciler.ts',
    from: "if (attempt.values.via !== 'direct'",
    to: "if (attempt.rowId > 0 || attempt.values.via !== 'direct'",
  },
  {
    name: 'draft-unsent',
    rule: 'a draft counts as changed only when the service has accepted the change',
    file: 'activities/publish/drafts/change-drafts.ts',
    from: 'const changed = await client.updatePublication(publicationId, patch);',
    to: 'const changed = { status, patch };',
  },
  {
    name: 'pending-replaced',
    rule: 'a pending draft is made a draft again before it is replaced',
    file: 'activities/publish/drafts/earlier-publication.ts',
    from: "const changed = await client.updatePublication(publicationId, { status: 'draft' }, { signal });",
    to: "const changed = { status: 'draft' };",
  },
  {
    name: 'firing-submits-again',
    rule: 'the ledger knows what a firing has submitted',
    file: 'ledger/submissions/submit.ts',
    from: 'if (fired) return fired;',
    to: 'if (fired && seen.version < 0) return fired;',
  },
  {
    name: 'half-a-manifest',
    rule: 'a firing waits until its manifest is written',
    file: 'activities/schedules/submit-firing.ts',
    from: "if (manifest.kind === 'path') await untilSettled(manifest.path);",
    to: "if (manifest.kind !== 'path') await untilSettled('');",
  },
  {
    name: 'own-clock',
    rule: 'a firing is due by the clock of the server that fired it',
    file: 'activities/schedules/open-firing.ts',
    from: 'Math.max(now, nominalAt)',
    to: 'now',
  },
  {
    name: 'notice-awaited',
    rule: 'no run waits for its notices',
    file: 'workflows/deliver-notice.ts',
    from: "notice.targets.join(', ')}`,\n      });",
    to: "notice.targets.join(', ')}`,\n      }).then((child) => child.result());",
  },
  {
    name: 'notice-once',
    rule: 'a notice that was not accepted is sent again',
    file: 'activities/notices/send-notice.ts',
    from: 'if (statusCode < 200 || statusCode > 299) throw',
    to: 'if (statusCode < 200) throw',
  },
];
