import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { identityColumn } from './identity-column';

type Table = [name: string, type: 'text' | 'integer' | 'bigint', options?: 'null' | 'primary'];

const ID: Table = ['id', 'integer', 'primary'];

/** Columns are not null unless they are marked otherwise. */
const TABLES: Readonly<Record<string, { columns: readonly Table[]; primary?: string[]; unique?: string[][] }>> = {
  meta: {
    columns: [
      ['name', 'text'],
      ['value', 'text'],
    ],
    primary: ['name'],
  },
  accounts: {
    columns: [
      ['name', 'text'],
      ['base_url', 'text'],
      ['bound_at', 'bigint'],
      ['seen', 'integer'],
      ['slowest_ms', 'bigint'],
    ],
    primary: ['name'],
  },
  campaigns: {
    columns: [
      ['name', 'text'],
      ['version', 'integer'],
      ['last_run', 'integer'],
      ['snapshot_id', 'integer', 'null'],
    ],
    primary: ['name'],
  },
  snapshots: {
    columns: [
      ID,
      ['campaign', 'text'],
      ['hash', 'text'],
      ['file_hash', 'text'],
      ['path', 'text'],
      ['format', 'text'],
      ['text', 'text'],
      ['columns', 'text'],
      ['settings', 'text'],
      ['entries', 'integer'],
      ['complete', 'integer'],
      ['stored_at', 'bigint'],
    ],
  },
  entries: {
    columns: [
      ['snapshot_id', 'integer'],
      ['position', 'integer'],
      ['line', 'integer'],
      ['key', 'text'],
      ['account', 'text'],
      ['profile_id', 'text'],
      ['platform', 'text'],
      ['skip', 'integer'],
      ['values', 'text'],
      ['cells', 'text'],
    ],
    primary: ['snapshot_id', 'position'],
  },
  runs: {
    columns: [
      ID,
      ['campaign', 'text'],
      ['number', 'integer'],
      ['workflow_id', 'text'],
      ['workflow_run_id', 'text', 'null'],
      ['open', 'integer'],
      ['closed_as', 'text', 'null'],
      ['started_by', 'text'],
      ['started_at', 'bigint'],
      ['finished_at', 'bigint', 'null'],
      ['snapshot_id', 'integer', 'null'],
      ['takes_over', 'integer', 'null'],
    ],
    unique: [['campaign', 'number']],
  },
  submissions: {
    columns: [
      ID,
      ['campaign', 'text'],
      ['snapshot_id', 'integer'],
      ['run_id', 'integer'],
      ['options', 'text'],
      ['by', 'text'],
      ['at', 'bigint'],
      ['progress', 'integer'],
      ['selected', 'integer'],
      ['imported_at', 'bigint', 'null'],
    ],
  },
  channels: {
    columns: [
      ID,
      ['text_id', 'text'],
      ['account', 'text'],
      ['profile_id', 'text'],
      ['platform', 'text'],
      ['label', 'text'],
    ],
    unique: [['text_id'], ['account', 'profile_id', 'platform']],
  },
  rows: {
    columns: [
      ID,
      ['campaign', 'text'],
      ['account', 'text'],
      ['profile_id', 'text'],
      ['platform', 'text'],
      ['key', 'text'],
      ['channel_id', 'integer'],
      ['source_hash', 'text'],
      ['snapshot_id', 'integer'],
      ['position', 'integer'],
      ['line', 'integer'],
      ['entry_snapshot', 'integer'],
      ['entry_position', 'integer'],
      ['accepted_at', 'bigint'],
      ['label', 'text'],
      ['upload', 'integer'],
      ['publish_at', 'bigint'],
      ['ready_at', 'bigint'],
      ['run_id', 'integer', 'null'],
      ['state', 'text'],
      ['code', 'text', 'null'],
      ['message', 'text', 'null'],
      ['column_name', 'text', 'null'],
      ['attempts', 'integer'],
      ['sent', 'integer'],
      ['cancel_asked', 'integer'],
      ['publication_id', 'text', 'null'],
      ['publish_id', 'text', 'null'],
      ['status', 'text', 'null'],
      ['video_id', 'text', 'null'],
      ['video_url', 'text', 'null'],
      ['privacy', 'text', 'null'],
      ['published_at', 'text', 'null'],
      ['candidates', 'text', 'null'],
      ['created_at', 'bigint', 'null'],
      ['deadline', 'bigint', 'null'],
      ['ended_at', 'bigint', 'null'],
    ],
    unique: [['campaign', 'account', 'profile_id', 'platform', 'key']],
  },
  attempts: {
    columns: [
      ['row_id', 'integer'],
      ['number', 'integer'],
      ['run_id', 'integer'],
      ['channel_id', 'integer'],
      ['account', 'text'],
      ['worker_id', 'text'],
      ['claimed_at', 'bigint'],
      ['ended_at', 'bigint', 'null'],
      ['outcome', 'text', 'null'],
      ['code', 'text', 'null'],
      ['message', 'text', 'null'],
      ['http_status', 'integer', 'null'],
      ['publication_id', 'text', 'null'],
      ['publish_id', 'text', 'null'],
      ['not_before', 'bigint', 'null'],
      ['settled_as', 'text', 'null'],
      ['settled_at', 'bigint', 'null'],
    ],
    primary: ['row_id', 'number'],
  },
  looks: {
    columns: [
      ['row_id', 'integer'],
      ['attempt', 'integer'],
      ['number', 'integer'],
      ['at', 'text'],
      ['candidates', 'text'],
      ['complete', 'integer'],
    ],
    primary: ['row_id', 'attempt', 'number'],
  },
  workers: {
    columns: [
      ['id', 'text'],
      ['host_id', 'text'],
      ['boot_id', 'text'],
      ['pid', 'bigint'],
      ['start_time', 'text'],
      ['registered_at', 'bigint'],
      ['seen_at', 'bigint'],
    ],
    primary: ['id'],
  },
  publications: {
    columns: [
      ['account', 'text'],
      ['publication_id', 'text'],
      ['row_id', 'integer'],
      ['how', 'text'],
      ['noted_at', 'bigint'],
      ['seen_at', 'bigint', 'null'],
    ],
    primary: ['account', 'publication_id'],
  },
  gates: {
    columns: [
      ['scope', 'text'],
      ['kind', 'text'],
      ['since', 'bigint'],
      ['by', 'text'],
      ['reason', 'text'],
    ],
    primary: ['scope', 'kind'],
  },
  baselines: {
    columns: [
      ['run_id', 'integer'],
      ['account', 'text'],
      ['taken_at', 'text'],
      ['ids', 'text'],
    ],
    primary: ['run_id', 'account'],
  },
};

const INDEXES: readonly [table: string, columns: string[], where?: 'unended'][] = [
  ['snapshots', ['campaign', 'hash']],
  ['submissions', ['campaign', 'id']],
  ['runs', ['workflow_run_id']],
  // Pages, open rows, channels and what is in flight of a run.
  ['rows', ['run_id', 'state', 'channel_id', 'ready_at', 'position']],
  ['rows', ['campaign', 'id']],
  // Counts over a manifest.
  ['rows', ['snapshot_id', 'state']],
  // The same source elsewhere.
  ['rows', ['source_hash', 'channel_id']],
  ['publications', ['row_id']],
  ['attempts', ['channel_id'], 'unended'],
  ['attempts', ['account'], 'unended'],
];

/** The first tables. */
export async function createLedger(db: Kysely<unknown>): Promise<void> {
  for (const [name, { columns, primary, unique }] of Object.entries(TABLES)) {
    let table = db.schema.createTable(name);
    for (const [column, type, options] of columns) {
      const identity = options === 'primary';
      table = table.addColumn(column, type, (c) => (identity ? identityColumn(c) : options ? c : c.notNull()));
    }
    if (primary) table = table.addPrimaryKeyConstraint(`${name}_pk`, primary as never);
    for (const [at, set] of (unique ?? []).entries()) {
      table = table.addUniqueConstraint(`${name}_unique_${at + 1}`, set as never);
    }
    for (const [column, target] of REFERENCES[name] ?? []) {
      table = table.addForeignKeyConstraint(`${name}_${column}_fk`, [column] as never, target, ['id']);
    }
    await table.execute();
  }
  for (const [at, [table, columns, where]] of INDEXES.entries()) {
    let index = db.schema
      .createIndex(`${table}_index_${at + 1}`)
      .on(table)
      .columns(columns);
    if (where === 'unended') index = index.where(sql<boolean>`ended_at is null`);
    await index.execute();
  }
  // At most one open run per campaign and one open attempt per row, enforced by the database itself.
  await db.schema
    .createIndex('runs_open')
    .unique()
    .on('runs')
    .column('campaign')
    .where(sql<boolean>`open = 1`)
    .execute();
  await db.schema
    .createIndex('attempts_unended')
    .unique()
    .on('attempts')
    .column('row_id')
    .where(sql<boolean>`ended_at is null`)
    .execute();
  await db.schema
    .createIndex('submissions_pending')
    .on('submissions')
    .column('campaign')
    .where(sql<boolean>`imported_at is null`)
    .execute();
  await db.schema
    .createIndex('attempts_unsettled')
    .on('attempts')
    .column('account')
    .where(sql<boolean>`outcome = 'perhaps' and coalesce(settled_as, 'unconfirmed') = 'unconfirmed'`)
    .execute();
  await (db as Kysely<{ meta: { name: string; value: string } }>)
    .insertInto('meta')
    .values({ name: 'id', value: randomUUID() })
    .execute();
}

const REFERENCES: Readonly<Record<string, readonly [column: string, table: string][]>> = {
  entries: [['snapshot_id', 'snapshots']],
  submissions: [
    ['snapshot_id', 'snapshots'],
    ['run_id', 'runs'],
  ],
  rows: [['channel_id', 'channels']],
  attempts: [['row_id', 'rows']],
  publications: [['row_id', 'rows']],
};
