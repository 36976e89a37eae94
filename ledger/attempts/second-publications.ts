import { shortMessage } from '../model/labels';
import { patchRow } from '../rows/rows';
import { type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';

/** Codes of rows that may be published twice, or whose publication is another row's. They stay when the row ends. */
export const DISPUTED_CODES = ['second-publication', 'adoption-disputed'] as const;

export function isDisputed(code: string | null): boolean {
  return (DISPUTED_CODES as readonly (string | null)[]).includes(code);
}

/** Records that another publication exists for the row: it may be published twice, which only a person can fix. */
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
