import { existsSync } from 'node:fs';

/** `corrected.csv`, or the first of `corrected-2.csv`, `corrected-3.csv` … that doesn't exist yet. */
export function unusedPath(path: string): string {
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]+)?$/su.exec(path) ?? [];
  for (let nth = 1; ; nth += 1) {
    const next = nth === 1 ? path : `${stem}-${String(nth)}${ending}`;
    if (!existsSync(next)) return next;
  }
}
