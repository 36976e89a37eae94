import { type AccountRegistry } from '../../../../service/accounts';
import { type ReadingLedger } from '../../../../ledger/interfaces/reading';
import { type ResolveInput } from '../../../../ledger/operator/resolve';
import { type AttentionRow } from '../../../../ledger/model/result-types';
import { type RowValues } from '../../../../ledger/model/types';
import { type Publication } from '../../../../service/api/publication';
import { ExitError } from '../../../errors/errors';
import { EXIT } from '../../../errors/exit-codes';
import { safeText } from '../../../terminal/safe-text';
import { type Verdict } from './resolve-choice';

export interface CheckedVerdict {
  row: AttentionRow;
  decision: ResolveInput['decision'];
  /** What it does, for the question. */
  words: string;
  /** A warning about it; null if there is none. */
  warning: string | null;
}

/**
 * Checks a verdict before anything is written: a named publication has to exist (section 4.6) and belong to no other
 * row. If it is shown with another platform, profile or title, that is a warning. A direct publish can't be read
 * (section 4.3): a person's confirmation is all there is.
 * @throws ExitError that says what is wrong with it
 */
export async function checkVerdict(
  deps: { ledger: ReadingLedger; accounts: () => Promise<AccountRegistry> },
  row: AttentionRow,
  verdict: Verdict,
): Promise<CheckedVerdict> {
  const name = `row ${String(row.line)} (key ${safeText(row.key)}, ${safeText(row.channel)})`;
  if (verdict.kind === 'not-published') {
    return {
      row,
      decision: verdict,
      words: `${name} will be recorded as not published, and created again`,
      warning: riskOf(row, name),
    };
  }
  if (verdict.kind === 'give-up') {
    return {
      row,
      decision: verdict,
      words: `${name} will be given up: nothing is created, and the video may be live`,
      warning: null,
    };
  }
  const { publicationId } = verdict;
  if (publicationId !== null) await demandUnowned(deps.ledger, row, publicationId);
  if (row.values.via === 'direct') {
    const as = publicationId === null ? '' : ` as ${safeText(publicationId)}`;
    const words = `${name} will be recorded as live${as}: nothing is created, and its outcome can’t be read`;
    return { row, decision: { kind: 'submitted', publishId: publicationId }, words, warning: null };
  }
  if (publicationId === null) {
    throw refused(
      'publication-id-missing',
      `${name} is no direct publish: it has a publication, whose id --published needs`,
      'For example `--published 6b0e1c62…`; `reelay results RUN --state unconfirmed -o csv` has candidates, `reelay publications list` the ids.',
    );
  }
  const found = await read(await deps.accounts(), row, publicationId);
  const status = found.status ?? 'processing';
  const words = `${name} will be recorded as publication ${publicationId} (${safeText(status)}${found.videoUrl === null ? '' : `, ${safeText(found.videoUrl)}`})`;
  return {
    row,
    decision: { kind: 'published', publicationId, status, ...(await ended(row.values, found)) },
    words,
    warning: differencesText(row.values, found),
  };
}

/**
 * What the service shows differently from the row's request. A service may use other names, so a person decides; null:
 * nothing.
 */
function differencesText({ platform, profileId, title }: RowValues, found: Publication): string | null {
  const differing = (
    [
      ['platform', platform, found.platform],
      ['profile', profileId, found.profileId],
      ['title', title, found.title],
    ] as const
  ).flatMap(([what, requested, shown]) => {
    if (requested === null || shown === null || shown === undefined) return [];
    const isSame = what === 'title' ? shown === requested : shown.toLowerCase() === requested.toLowerCase();
    return isSame ? [] : [`its ${what} is “${safeText(shown)}”, the row’s “${safeText(requested)}”`];
  });
  return differing.length === 0 ? null : `publication ${found.id} may be another row’s: ${differing.join('; ')}`;
}

/** What may happen if it is created again; null if the only risk is that the person is wrong. */
function riskOf({ state, isAttemptOver }: AttentionRow, name: string): string | null {
  if (state === 'creating')
    return `${name} may be published twice: its answer was lost, and reelay is still looking for its publication; the service may yet store or show it`;
  if (isAttemptOver) return null;
  return `${name} may be published twice: the worker that was to send it went silent and was never seen to end, so it may still send it; first make sure that its process is gone or its machine is off`;
}

async function demandUnowned(ledger: ReadingLedger, row: AttentionRow, id: string): Promise<void> {
  const owner = await ledger.ownerRow(row.account, id);
  if (owner === null || owner.rowId === row.rowId) return;
  throw refused(
    'publication-owned',
    `publication ${safeText(id)} is that of row ${String(owner.line)} (key ${safeText(owner.key)}) of campaign ${owner.campaign}`,
    'A publication belongs to only one row; use another id.',
  );
}

/** The end that is recorded for a publication that has ended. */
export async function ended(
  values: RowValues | null,
  found: Publication,
): Promise<Pick<Extract<ResolveInput['decision'], { kind: 'published' }>, 'end'>> {
  const { status } = found;
  if (status !== 'published' && status !== 'failed') return {};
  const { endOf } = await import('../../../../activities/compare/as-requested.js');
  return { end: endOf(values, found, status) };
}

async function read(accounts: AccountRegistry, row: AttentionRow, id: string): Promise<Publication> {
  try {
    return await accounts.get(row.account).client.getPublication(id);
  } catch (error) {
    if ((error as { kind?: unknown }).kind !== 'not-found') throw error;
    throw refused(
      'no-such-publication',
      `the service has no publication ${safeText(id)} in account ${row.account}`,
      'Check the id; if the video isn’t there, use --not-published.',
    );
  }
}

function refused(code: string, message: string, hint: string): ExitError {
  return new ExitError(code, message, EXIT.usage, hint);
}
