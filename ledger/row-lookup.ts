import { type ExistingRow } from './converge';
import { sourceHash } from './source';
import { type RowState } from './states';
import { type Db, prepared } from './store';
import { type Entry, type RowValues } from './types';

/** A row with what a decision needs. */
export interface FoundRow extends ExistingRow {
  id: number;
  line: number;
  key: string;
  channel: string;
  label: string;
  runId: number | null;
  readyAt: number;
  cancelAsked: boolean;
  runOpen: boolean;
  /** Not sent yet, and selected by an open run. */
  held: boolean;
}

export interface RowLookup {
  /** The row that an entry names, or null. */
  find(on: Db, campaign: string, entry: Entry): Promise<FoundRow | null>;
  /** Where the entry's source goes, or went, to the same channel in another campaign: `NAME row 12`. */
  elsewhere(on: Db, campaign: string, entry: Entry): Promise<string | null>;
  /** The campaign's rows with higher ids, in the order of their ids. */
  after(on: Db, campaign: string, id: number, limit: number): Promise<FoundRow[]>;
}

interface FoundRecord {
  id: number;
  line: number;
  key: string;
  text_id: string;
  label: string;
  state: RowState;
  code: string | null;
  sent: number;
  ready_at: number;
  cancel_asked: number;
  run_id: number | null;
  campaign: string;
  number: number | null;
  open: number | null;
  values: string;
}

export function createRowLookup(): RowLookup {
  const found = (on: Db) =>
    on
      .selectFrom('rows')
      .innerJoin('entries', (join) =>
        join
          .onRef('entries.snapshot_id', '=', 'rows.entry_snapshot')
          .onRef('entries.position', '=', 'rows.entry_position'),
      )
      .innerJoin('channels', 'channels.id', 'rows.channel_id')
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select([
        'rows.id',
        'rows.line',
        'rows.key',
        'channels.text_id',
        'rows.label',
        'rows.state',
        'rows.code',
        'rows.sent',
        'rows.ready_at',
        'rows.cancel_asked',
        'rows.run_id',
        'rows.campaign',
        'runs.number',
        'runs.open',
        'entries.values',
      ]);

  const byIdentity = prepared<IdentityParams, FoundRecord>((on, p) =>
    found(on)
      .where('rows.campaign', '=', p.campaign)
      .where('rows.account', '=', p.account)
      .where('rows.profile_id', '=', p.profileId)
      .where('rows.platform', '=', p.platform)
      .where('rows.key', '=', p.key),
  );

  const page = prepared<{ campaign: string; id: number; limit: number }, FoundRecord>((on, p) =>
    found(on).where('rows.campaign', '=', p.campaign).where('rows.id', '>', p.id).orderBy('rows.id').limit(p.limit),
  );

  const sameSource = prepared<Omit<IdentityParams, 'key'> & { hash: string }, { campaign: string; line: number }>(
    (on, p) =>
      on
        .selectFrom('rows')
        .innerJoin('channels', 'channels.id', 'rows.channel_id')
        .select(['rows.campaign', 'rows.line'])
        .where('rows.source_hash', '=', p.hash)
        .where('channels.account', '=', p.account)
        .where('channels.profile_id', '=', p.profileId)
        .where('channels.platform', '=', p.platform)
        .where('rows.campaign', '!=', p.campaign)
        .where('rows.state', 'not in', ['failed', 'rejected', 'cancelled'])
        .limit(1),
  );

  return {
    find: async (on, campaign, entry) => {
      const [record] = await byIdentity(on, { ...identityOf(entry), campaign });
      return record ? toFound(record) : null;
    },
    elsewhere: async (on, campaign, entry) => {
      const hash = sourceHash(entry.values.source);
      if (hash === '') return null;
      const { account, profileId, platform } = identityOf(entry);
      const [other] = await sameSource(on, { account, profileId, platform, campaign, hash });
      return other ? `campaign ${other.campaign}, row ${other.line}` : null;
    },
    after: async (on, campaign, id, limit) => (await page(on, { campaign, id, limit })).map(toFound),
  };
}

interface IdentityParams {
  campaign: string;
  account: string;
  profileId: string;
  platform: string;
  key: string;
}

export function identityOf(entry: Entry): Omit<IdentityParams, 'campaign'> {
  return {
    account: entry.account,
    profileId: entry.values.profileId ?? '',
    platform: entry.values.platform,
    key: entry.key,
  };
}

function toFound(record: FoundRecord): FoundRow {
  return {
    id: record.id,
    line: record.line,
    key: record.key,
    channel: record.text_id,
    label: record.label,
    state: record.state,
    code: record.code,
    sent: record.sent === 1,
    runId: record.run_id,
    readyAt: record.ready_at,
    cancelAsked: record.cancel_asked === 1,
    run: record.number === null ? null : `${record.campaign}.${record.number}`,
    runOpen: record.open === 1,
    held: record.open === 1 && (record.state === 'planned' || record.state === 'waiting'),
    values: JSON.parse(record.values) as RowValues,
  };
}
