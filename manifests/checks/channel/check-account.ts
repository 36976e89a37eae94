import { nearest } from '../../fields/classify-column';
import { parseName } from '../text/check-simple';
import { type RawRow } from '../../raw-row';
import { type RowsContext } from '../row-context';
import { showValue } from '../../text';

/**
 * The account of rehearsals where none is configured. A sheet that was rehearsed may be published for real, and the
 * other way round.
 */
const SANDBOX_ACCOUNT = 'sandbox';

/** Either the row or the results file that it comes from is of a rehearsal: neither is published where the other is. */
export function isRehearsed(raw: RawRow, account: string | null): boolean {
  const recorded = raw.result.get('reelay_account')?.text.trim();
  return recorded !== account && (recorded === SANDBOX_ACCOUNT || account === SANDBOX_ACCOUNT);
}

/** In another account than a results file says, the row would be published again. */
function isMoved(raw: RawRow, account: string, problems: RowsContext['problems']): boolean {
  const cell = raw.result.get('reelay_account');
  const recorded = cell?.text.trim();
  if (cell === undefined || recorded === account || isRehearsed(raw, account)) return false;
  problems.add({
    code: 'channel-changed',
    at: cell.at,
    value: recorded ?? '',
    message: `The row belongs to account “${showValue(recorded ?? '')}”, but it would be sent with account “${showValue(account)}”.`,
  });
  return true;
}

/**
 * The account of a row: its own > the requested one > the manifest's > the configured default's > the fallback. Null if
 * none is named and any will do; undefined after an error.
 */
export function findAccount(raw: RawRow, context: RowsContext): string | null | undefined {
  const { defaults, problems } = context;
  const { account: asked, fallbackAccount, accountPlatforms } = context.accounts;
  const cell = defaults.find(raw, 'account', { account: null });
  const own = asked === undefined || cell?.level === 'row' ? cell : undefined;
  const named = parseName(own, 'account', problems);
  if (named === undefined) return undefined;
  const account = named ?? asked ?? fallbackAccount ?? null;
  if (account === null || accountPlatforms === undefined || Object.hasOwn(accountPlatforms, account))
    return account !== null && isMoved(raw, account, problems) ? undefined : account;
  const known = Object.keys(accountPlatforms);
  const near = nearest(account, known);
  const at = own?.at ?? { line: raw.line, column: 'account', file: raw.file };
  const shared = own !== undefined && own.level !== 'row';
  problems.add({
    code: 'account-unknown',
    at,
    value: account,
    shared,
    message:
      own === undefined
        ? 'The row names no account, and several are configured.'
        : `There is no account “${showValue(account)}”.${near === undefined ? '' : ` Did you mean “${near}”?`}`,
    hint: `Configured are: ${known.map((name) => showValue(name)).join(', ')}. Set account, or give --account NAME.`,
  });
  return undefined;
}
