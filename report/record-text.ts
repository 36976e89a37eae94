import { type ResultRecord } from '../ledger/model/result-types';

/** Where a row's video comes from: the host of its address, or this machine. */
export function sourceHost(row: ResultRecord): string {
  if (row.source === null) return 'no source';
  if (!/^https?:/i.test(row.source)) return 'files';
  return URL.canParse(row.source) ? new URL(row.source).host : 'unreadable address';
}
