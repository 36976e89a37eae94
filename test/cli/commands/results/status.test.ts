import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../../cli/run-cli';
import { thisHost } from '../../../../cli/stack/engine';
import { openLedger } from '../../../../ledger/open';
import { entries, submission } from '../../../ledger/support';
import { CapturedStream } from '../../capture';

describe('status', () => {
  let folder: string;
  const kept = { ...process.env };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reelay-status-'));
    for (const name of Object.keys(process.env))
      if (/^(REELAY_|TEMPORAL_)/.test(name)) Reflect.deleteProperty(process.env, name);
    const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
    await ledger.submit(submission(entries('one')));
    await ledger.close();
  });
  afterEach(() => {
    Object.assign(process.env, kept);
    rmSync(folder, { recursive: true, force: true });
  });

  async function command(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const stdout = new CapturedStream();
    const stderr = new CapturedStream();
    const code = await runCli([...words, '--home', folder], { stdout, stderr });
    return { code, out: stdout.text, err: stderr.text };
  }

  it('and doctor report outcomes in quarantine, with their reason and what to do', async () => {
    const quarantine = join(folder, 'spool', 'quarantine');
    mkdirSync(quarantine, { recursive: true });
    writeFileSync(join(quarantine, '7-1-x.json'), '{}');
    writeFileSync(join(quarantine, '7-1-x.json.reason.txt'), 'the ledger has no row 7');
    const shown = await command('status', 'spring');
    expect(shown.code).toBe(0);
    expect(shown.err).toContain('7-1-x.json: this outcome of a create could not be recorded: the ledger has no row 7');
    expect(shown.err).toContain('reelay publications show ID');
    const lines = (await command('status', 'spring', '-o', 'jsonl')).out.split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ event: 'notice', code: 'spool-quarantine' }),
    );
    const { checks } = JSON.parse((await command('doctor', '-o', 'json')).out) as { checks: object[] };
    expect(checks).toContainEqual(expect.objectContaining({ part: 'spool', state: 'warning' }));
  });
});
