import { nearest } from '../../fields/classify-column';
import { parseName } from '../text/check-simple';
import { type RawRow } from '../../raw-row';
import { type RowsContext } from '../row-context';
import { showValue } from '../../text';

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
  if (account === null || accountPlatforms === undefined || Object.hasOwn(accountPlatforms, account)) return account;
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
