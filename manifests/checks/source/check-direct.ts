import { type Source } from './check-source';
import { type RowBasis } from '../row-context';

/** The rules of a direct publish that can be checked without reading the file (interface, 4.3). */
export function checkDirect(basis: RowBasis, profile: string | null, source: Source | undefined): boolean {
  const { problems } = basis.context;
  const at = (column: string) =>
    basis.raw.slots.get(column)?.at ?? { line: basis.raw.line, column, file: basis.raw.file };
  let ok = true;
  if (basis.status !== 'published') {
    problems.add({
      code: 'direct-field',
      at: at('status'),
      value: basis.status,
      message: `A direct publish can’t be ${basis.status === 'draft' ? 'a draft' : basis.status}.`,
    });
    ok = false;
  }
  if (profile === null) {
    problems.add({
      code: 'direct-profile',
      at: at('profile'),
      message: 'A direct publish goes to a profile, and the row names none.',
    });
    ok = false;
  }
  if (source?.kind === 'url') {
    problems.add({
      code: 'direct-url',
      at: at('source'),
      value: source.value,
      message: 'A direct publish uploads a file; the source is a URL.',
    });
    ok = false;
  }
  return ok;
}
