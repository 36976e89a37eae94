import { type Cell } from '../raw-row';
import { type RowBasis } from './row-context';
import { showValue } from '../text';
import { type PlatformConfig } from '../types';

/** Description and privacy are only sent with publications on long platforms (interface, 4.3 and 4.5). */
export function takesLongFields(basis: RowBasis, platform: PlatformConfig): boolean {
  return platform.kind === 'long' && basis.via === 'publication';
}

/**
 * A value that can't be sent. An error if it was meant for this very platform, or if leaving it out would show the
 * video to more people than requested; otherwise (a default, or a row for several platforms) a warning.
 */
export function refuseUnsent(
  basis: RowBasis,
  platform: PlatformConfig,
  input: { cell: Cell; field: 'description' | 'privacy'; harmless: boolean },
): null | undefined {
  const { cell, field, harmless } = input;
  const direct = basis.via === 'direct';
  const column = cell.at.column ?? field;
  const meantForIt =
    cell.level === 'row' && (direct || cell === basis.raw.slots.get(`${field}.short`) || !goesToLong(basis));
  const severity = harmless && !meantForIt ? 'warning' : 'error';
  const whom = direct ? 'A direct publish' : `${platform.name} (${platform.kind})`;
  const message = `${whom} takes no ${field}: “${showValue(cell.text, 40)}” ${severity === 'error' ? 'can’t be honoured' : 'isn’t sent there'}.`;
  const code = direct ? 'direct-field' : field === 'privacy' ? 'privacy-not-offered' : 'description-not-offered';
  basis.context.problems.add({
    code,
    severity,
    at: { ...cell.at, column },
    value: cell.text,
    message,
    shared: cell.level !== 'row',
  });
  return severity === 'error' ? undefined : null;
}

function goesToLong(basis: RowBasis): boolean {
  return basis.platforms.some((platform) => platform.kind === 'long');
}
