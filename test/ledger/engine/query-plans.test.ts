import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openLedger } from '../../../ledger/open';

/** Questions that every claim asks: they must not cost more the more was sent. */
const ASKED = [
  `select count(*) from attempts where channel_id = 1 and ended_at is null`,
  `select count(*) from attempts where account = 'main' and ended_at is null`,
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-plans-'));
  await (await openLedger({ path: join(folder, 'ledger.db') })).close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(ASKED)('is answered from open attempts alone: %s', (question) => {
  const database = new Database(join(folder, 'ledger.db'));
  const plan = database.prepare(`explain query plan ${question}`).all() as { detail: string }[];
  database.close();
  expect(plan.map(({ detail }) => detail).join()).toMatch(/^SEARCH attempts USING COVERING INDEX attempts_open_/);
});

test.each(['<', '>'])('finds rows of a run %s its manifest by the index, without a look at the others', (side) => {
  const database = new Database(join(folder, 'ledger.db'));
  const question = `select state, count(*) from rows where run_id = 1 and snapshot_id ${side} 2
    and (account, profile_id, platform, "key") not in
      (select account, profile_id, platform, "key" from entries where snapshot_id = 2) group by state`;
  const plan = database.prepare(`explain query plan ${question}`).all() as { detail: string }[];
  database.close();
  expect(plan[0]?.detail).toMatch(/^SEARCH rows USING INDEX rows_run_snapshot \(run_id=\? AND snapshot_id[<>]\?\)/);
});
