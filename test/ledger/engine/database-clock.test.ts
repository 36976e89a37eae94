import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open';
import { PostgresServer } from '../../support/postgres/postgres';
import { postgresPrograms } from '../../support/postgres/postgres-programs.js';
import { entries, submission } from '../support';

const HOUR = 3_600_000;

(postgresPrograms() === null ? describe.skip : describe)('the clock of a ledger in PostgreSQL', () => {
  const server = new PostgresServer();
  const folder = mkdtempSync(join(tmpdir(), 'ledger-clock-'));
  beforeAll(() => server.start());
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await server.end();
    rmSync(folder, { recursive: true });
  });

  it.each([-HOUR, 0, HOUR])('is the database’s on a host whose own is %d ms ahead', async (aheadMs) => {
    const real = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => real() + aheadMs);
    const ledger = await openLedger({
      url: await server.database(),
      sequenceFile: join(folder, `${String(aheadMs)}.seq`),
    });
    try {
      const before = real();
      const shown = ledger.now();
      const after = real();
      expect(shown).toBeGreaterThan(before - 1_000);
      expect(shown).toBeLessThan(after + 1_000);
      // What is noted has it too.
      await ledger.submit(submission(entries('a')));
      const run = await ledger.newestRun('spring');
      expect(Math.abs(Date.parse(run?.startedAt ?? '') - real())).toBeLessThan(10_000);
    } finally {
      await ledger.close();
    }
  });
});
