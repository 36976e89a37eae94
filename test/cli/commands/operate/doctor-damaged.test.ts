import { placeOf } from '../../../../ledger/model/location';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHome } from '../../../../cli/commands/operate/doctor/check-home';
import { checkLedger } from '../../../../cli/commands/operate/doctor/check-ledger';
import { type Finding } from '../../../../cli/commands/operate/doctor/finding';
import { checkService } from '../../../../cli/commands/operate/doctor/check-service';
import { capture } from '../../capture';
import { loadSettings, type Settings } from '../../../../cli/config/settings';
import { explainError } from '../../../../cli/errors/explain-error';
import { openLedger } from '../../../../ledger/open';

let folder: string;
let settings: Settings;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-damaged-'));
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'c.yaml'), 'base_url: http://127.0.0.1:9\n');
  settings = await loadSettings({ home: join(folder, 'home'), config: join(folder, 'c.yaml') });
});
afterEach(() => rm(folder, { recursive: true }));

const part = (findings: readonly Finding[], name: string): Finding | undefined =>
  findings.find((one) => one.part === name);

async function overwrite(path: string, from: number, bytes: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(bytes, 'x'), 0, bytes, from);
  await file.close();
}

test('doctor finds a damaged ledger, also where what it reads is intact, and says how to restore it', async () => {
  await (await openLedger(settings.ledger)).close();
  expect(part((await checkLedger(settings)).findings, 'ledger')?.state).toBe('ok');
  await overwrite(placeOf(settings.ledger), 4096 * 40, 4096 * 3);
  const finding = part((await checkLedger(settings)).findings, 'ledger');
  expect(finding).toMatchObject({ state: 'error', message: expect.stringContaining('damaged'), exit: 7 });
  expect(finding?.hint).toContain('ledger.db-wal');
});

test('doctor says once that a ledger is damaged, and blames neither the service nor the spool for a home that is no folder', async () => {
  await (await openLedger(settings.ledger)).close();
  await overwrite(placeOf(settings.ledger), 0, 4096);
  process.env.REELAY_API_KEY = 'a-key-of-theirs';
  try {
    const found = await checkService(
      await loadSettings({ home: settings.home, config: join(folder, 'c.yaml') }),
      capture().output,
    );
    expect(part(found, 'service')).toMatchObject({ state: 'skipped', message: 'the ledger can’t be read' });
  } finally {
    delete process.env.REELAY_API_KEY;
  }
  const file = await loadSettings({ home: join(folder, 'c.yaml'), config: join(folder, 'c.yaml') });
  const ofFile = await checkHome(file);
  expect(part(ofFile, 'home')).toMatchObject({ state: 'error', message: expect.stringContaining('is not a folder') });
  expect(part(ofFile, 'spool')).toBeUndefined();
});

test('a damaged ledger is explained as such, with the way to restore it', async () => {
  await (await openLedger(settings.ledger)).close();
  await overwrite(placeOf(settings.ledger), 0, 4096);
  const thrown: unknown = await openLedger(settings.ledger).catch((error: unknown) => error);
  const opening = explainError(thrown);
  const malformed = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
  for (const { code, message, hint, exitCode } of [opening, explainError(malformed)]) {
    expect({ code, exitCode }).toEqual({ code: 'ledger-damaged', exitCode: 7 });
    expect(message).toContain('damaged');
    expect(hint).toMatch(/stop every.*ledger\.db-wal.*reelay ledger reconcile/i);
    expect(hint).not.toMatch(/permissions|free space/);
  }
});

test('doctor finds a damaged database of the embedded Temporal, and leaves no files beside it', async () => {
  const path = join(settings.home, 'temporal.sqlite');
  expect(part(await checkHome(settings), 'temporal-database')).toBeUndefined();
  await writeFile(path, 'not a database '.repeat(1000));
  expect(part(await checkHome(settings), 'temporal-database')).toMatchObject({
    state: 'error',
    message: expect.stringContaining('damaged'),
    hint: expect.stringMatching(/move .*temporal\.sqlite.* away.*resume/),
  });
  expect(existsSync(`${path}-wal`)).toBe(false);
});
