import { setTimeout as sleep } from 'node:timers/promises';
import { type RecheckFinding } from '../../../activities/compare/recheck-finding';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { type ViewRef } from '../../../ledger/model/types';
import { type ServiceClient } from '../../../service/api/client';
import { type Publication } from '../../../service/api/publication';
import { type ServiceSession } from '../../shared/service-session';

/** A row that a recheck has something to report about. */
export interface RecheckedRow {
  run: string;
  line: number;
  key: string;
  account: string;
  channel: string;
  title: string | null;
  publication_id: string;
  /** The row's state, which doesn't change. */
  state: string;
  /** The result of the read; `unread`: the service could not be read; null: as requested again. */
  code: RecheckFinding['code'] | 'unread' | null;
  message: string | null;
  /** Differs from the row's previous message. */
  changed: boolean;
  /** ISO. */
  seen_at: string;
}

interface RecheckInput {
  session: ServiceSession;
  views: readonly ViewRef[];
  /** Including rows that the newest manifest doesn't have. */
  everything: boolean;
  by: string;
  onRow: (row: RecheckedRow) => Promise<void>;
}

const PAGE = 200;
/** Reads of the service at once. */
const READS = 8;
/** A failed read is retried once, after the wait that the service asks for but at most this long (ms). */
const WAIT_MAX_MS = 5_000;

/**
 * Reads the publications of finished rows again (section 4.6) and records what they show in the ledger. Rows whose
 * record was deleted with reelay are left out.
 * @throws ServiceError if the key is refused or the service can't be reached at all
 */
export async function recheckViews(input: RecheckInput): Promise<{ read: number; rows: RecheckedRow[] }> {
  const { session, views, everything } = input;
  const { ledger, accounts, settings } = session;
  const { bindAccounts } = await import('../../stack/engine.js');
  const bound = new Set<string>();
  const rows: RecheckedRow[] = [];
  let read = 0;
  let page: ResultRecord[] = [];
  const readPage = async (): Promise<void> => {
    const names = new Set(page.map(({ account }) => account).filter((account) => !bound.has(account)));
    // Another address would belong to another account: every row would seem to be gone.
    await bindAccounts(ledger, accounts, { names, confirm: settings.sandbox });
    for (const name of names) bound.add(name);
    read += page.length;
    rows.push(...(await recheckPage(input, page)));
    page = [];
  };
  for (const view of views) {
    for await (const record of ledger.results(view, { states: ['published', 'failed'], everything })) {
      if (record.publication_id === null || record.code === 'record-deleted') continue;
      page.push(record);
      if (page.length === PAGE) await readPage();
    }
    await readPage();
  }
  return { read, rows };
}

async function recheckPage(
  { session, by, onRow }: RecheckInput,
  page: readonly ResultRecord[],
): Promise<RecheckedRow[]> {
  const [{ recheckFinding }, { inParallel }, { isDiffering }] = await Promise.all([
    import('../../../activities/compare/recheck-finding.js'),
    import('../../../activities/in-parallel.js'),
    import('../../../ledger/model/states.js'),
  ]);
  const { ledger, accounts } = session;
  const found = new Map<ResultRecord, RecheckedRow>();
  await inParallel(READS, page, async (record) => {
    const id = record.publication_id ?? '';
    const owner = (await ledger.ownersOf(record.account, [id])).get(id);
    if (owner === undefined) return;
    const add = async (code: RecheckedRow['code'], message: string | null, changed: boolean): Promise<void> => {
      const { line, key, account, channel, title, state } = record;
      const about = { run: record.run ?? '', line, key, account, channel, title, publication_id: id, state };
      const row = { ...about, code, message, changed, seen_at: new Date().toISOString() };
      found.set(record, row);
      await onRow(row);
    };
    const shown = await readAgain(accounts.get(record.account).client, id);
    if (shown instanceof Error) return add('unread', shown.message, false);
    const state = record.state === 'failed' ? 'failed' : 'published';
    const values = await ledger.requestedOf(owner.rowId);
    const finding = recheckFinding({ ...record, state, values }, shown);
    await ledger.noteRechecked({
      ...{ rowId: owner.rowId, publicationId: id, finding, by },
      ...(typeof shown?.privacy === 'string' ? { privacy: shown.privacy } : {}),
    });
    if (finding !== null) {
      const known = record.code === finding.code && record.message?.startsWith(finding.message) === true;
      await add(finding.code, finding.message, !known);
    } else if (isDiffering(record)) await add(null, null, true);
  });
  return page.flatMap((record) => found.get(record) ?? []);
}

/** Null: the service doesn't have it. An error: it could not be read, not even on the second try. */
async function readAgain(client: ServiceClient, id: string): Promise<Publication | null | Error> {
  const { ServiceError } = await import('../../../service/errors.js');
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.getPublication(id);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.kind === 'not-found') return null;
      if (error.kind === 'access' || error.kind === 'connect') throw error;
      if (tries === 2) return error;
      await sleep(Math.min(error.retryAfterMs ?? 1_000, WAIT_MAX_MS));
    }
  }
}
