import { shortMessage } from '../model/labels';
import { patchRow } from '../rows/rows';
import { type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';

/** Codes of rows that may be out twice, or whose publication is another row's: they outlast whatever ends the row. */
export const DISPUTED_CODES = ['second-publication', 'adoption-disputed'] as const;

export function isDisputed(code: string | null): boolean {
  return (DISPUTED_CODES as readonly (string | null)[]).includes(code);
}

/** Says at the row that another publication exists for it: it may be out twice, which only a person can mend. */
export async function noteSecond(tx: Tx, row: RowRecord, id: string): Promise<void> {
  const known = row.candidates === null ? [] : (JSON.parse(row.candidates) as string[]);
  await patchRow(tx, row.id, {
    code: 'second-publication',
    message: shortMessage(
      `a second publication answered for this row: ${id}, beside ${row.publication_id ?? row.publish_id ?? 'none'}; ` +
        'check the channel: the video may be published twice',
    ),
    candidates: JSON.stringify([...new Set([...known, id])]),
  });
}
