import { PUBLISHED_DIFFERS } from '../../ledger/model/states';
import { type RowValues } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { differencesOf, differencesText, requestedPrivacy } from './as-requested';

/** A finished row before its publication is read again. */
export interface FinishedRow {
  state: 'published' | 'failed';
  values: RowValues;
  /** As the service last showed it; null if it never did. */
  privacy: string | null;
  /** The row's current message. */
  code: string | null;
}

export interface RecheckFinding {
  code: 'published-differs' | 'made-private' | 'gone' | 'failed-later' | 'published-later';
  message: string;
}

/**
 * What a later read of a finished row's publication shows that its row doesn't request; null: it is as requested, or
 * failed as before. `shown`: null if the service no longer has it.
 */
export function recheckFinding(row: FinishedRow, shown: Publication | null): RecheckFinding | null {
  if (row.state === 'failed') {
    return shown?.status === 'published'
      ? { code: 'published-later', message: 'the service now shows it as published; `reelay retry` records that' }
      : null;
  }
  if (shown === null) return { code: 'gone', message: 'the service no longer has its publication' };
  if (shown.status === 'failed') {
    const reason = shown.failureReason ?? 'the service gave no reason';
    return { code: 'failed-later', message: `the service now shows it as failed: ${reason}` };
  }
  if (shown.status !== 'published') {
    return { code: PUBLISHED_DIFFERS, message: `the service shows its status as “${shown.status ?? 'none'}” by now` };
  }
  const differences = differencesOf(row.values, shown);
  if (wasMadePrivate(row, shown)) {
    const others = differences.filter(({ field }) => field !== 'privacy');
    const more = others.length === 0 ? '' : `; ${differencesText(others)}`;
    return { code: 'made-private', message: `it is private by now, and was not before${more}` };
  }
  return differences.length === 0 ? null : { code: PUBLISHED_DIFFERS, message: differencesText(differences) };
}

function wasMadePrivate({ values, privacy, code }: FinishedRow, shown: Publication): boolean {
  if (shown.privacy?.toLowerCase() !== 'private' || requestedPrivacy(values) === 'private') return false;
  return code === 'made-private' || (privacy !== null && privacy.toLowerCase() !== 'private');
}
