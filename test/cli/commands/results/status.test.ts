import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../../cli/run-cli';
import { writeResultFiles } from '../../../../cli/result-files/result-files';
import { buildSummary } from '../../../../cli/summary/summary';
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

  it('answers with its verdict on standard output, before the table', async () => {
    const shown = await command('status', 'spring');
    expect(shown.out).toMatch(/^spring\.1 \S+: 0 of 1 rows succeeded; the run has not ended\nSTATE\t/);
    expect(shown.err).not.toContain('rows succeeded');
  });

  it('results --out replaces its own file, never one that was edited without --force, and writes no empty sheet', async () => {
    const path = join(folder, 'out.csv');
    const write = (...flags: string[]) => command('results', 'spring', '-o', 'csv', '--out', path, ...flags);
    expect((await write()).code).toBe(0);
    expect((await write()).code).toBe(0);
    const own = readFileSync(path, 'utf8');
    writeFileSync(path, `${own}edited`);
    const refused = await write();
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--force')]);
    expect(readFileSync(path, 'utf8')).toBe(`${own}edited`);
    expect((await write('--force')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(own);
    expect((await write()).code).toBe(0);

    const empty = join(folder, 'empty.csv');
    const none = await command('results', 'spring', '--state', 'failed', '-o', 'csv', '--out', empty);
    expect([none.code, none.err]).toEqual([0, expect.stringContaining('was not written')]);
    expect(existsSync(empty)).toBe(false);
  });

  it('says of a run of the sandbox where it is, with and without other runs', async () => {
    mkdirSync(join(folder, 'sandbox'));
    const ledger = await openLedger({ path: join(folder, 'sandbox', 'ledger.db') }, { host: await thisHost() });
    await ledger.submit(submission(entries('one'), { campaign: 'autumn' }));
    await ledger.close();
    const hint = 'It is a sandbox run: repeat the command with --sandbox.';
    const commands = [
      ['status', 'autumn'],
      ['results', 'autumn'],
      ['watch', 'autumn'],
      ['pause', 'autumn'],
      ['resume', 'autumn'],
      ['set', 'autumn', 'min_gap=1m'],
      ['cancel', 'autumn', '--yes'],
      ['retry', 'autumn', '--yes'],
      ['open', 'autumn'],
      ['resolve', 'autumn', 'one', '--give-up', '--yes'],
    ];
    const missing = async (): Promise<unknown[]> => {
      const said: unknown[] = [];
      for (const words of commands) {
        const { code, err } = await command(...words);
        if (code !== 2 || !err.includes(hint)) said.push([words, code, err]);
      }
      return said;
    };
    expect(await missing()).toEqual([]);
    expect((await command('status', 'winter')).err).not.toContain('sandbox run');
    expect((await command('list', '--campaign', 'autumn')).err).toContain(hint);
    expect((await command('list', '--campaign', 'winter')).err).not.toContain('sandbox run');
    rmSync(join(folder, 'ledger.db'));
    expect(await missing()).toEqual([]);
    for (const words of [['status'], ['list']])
      expect((await command(...words)).err).toContain('The sandbox has runs: repeat the command with --sandbox.');
  });

  it('the files at the end of a run replace none that was edited', async () => {
    const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
    const out = join(folder, 'out');
    try {
      const run = (await ledger.newestRun('spring'))!;
      const summary = await buildSummary({ ledger, info: run, attached: true, webUi: null, sandbox: false });
      const input = { ledger, run, summary, folder: out, home: folder, sandbox: false, uiEnds: false, zone: 'UTC' };
      const usual = { csv: join(out, 'results.csv'), html: join(out, 'report.html') };
      expect(await writeResultFiles(input)).toEqual(usual);
      expect(await writeResultFiles(input)).toEqual(usual);
      writeFileSync(usual.csv, 'edited');
      const beside = join(out, 'results-spring.1.csv');
      expect(await writeResultFiles(input)).toEqual({ csv: beside, html: usual.html });
      expect(readFileSync(usual.csv, 'utf8')).toBe('edited');
      writeFileSync(beside, 'edited too');
      expect((await writeResultFiles(input)).csv).toBe(join(out, 'results-spring.1-2.csv'));
      expect(readdirSync(out).sort()).toHaveLength(4);
    } finally {
      await ledger.close();
    }
  });

  it('writes files for spreadsheets: with a UTF-8 mark, and with the delimiter of the manifest; standard output has neither', async () => {
    const snapshot = { hash: 'semicolons', fileHash: 'semicolons', format: 'csv' as const, text: 'key;note\ntwo;x\n' };
    const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
    const out = join(folder, 'out');
    try {
      const { snapshot: usual, ...rest } = submission(entries('two'));
      await ledger.submit({ ...rest, campaign: 'autumn', snapshot: { ...usual, ...snapshot } });
      await ledger.beginRun({ campaign: 'autumn', workflowId: 'campaign/autumn', workflowRunId: 'execution' });
      await ledger.importSubmissions({ campaign: 'autumn', number: 1 });
      const info = (await ledger.newestRun('autumn'))!;
      const summary = await buildSummary({ ledger, info, attached: true, webUi: null, sandbox: false });
      await writeResultFiles({
        ledger,
        run: info,
        summary,
        folder: out,
        home: folder,
        sandbox: false,
        uiEnds: false,
        zone: 'UTC',
      });
    } finally {
      await ledger.close();
    }
    expect(readFileSync(join(out, 'results.csv'), 'utf8')).toMatch(/^\ufeffkey;note;reelay_key;/);
    const path = join(folder, 'autumn.csv');
    const write = async (...flags: string[]): Promise<string> => {
      const { code, err } = await command('results', 'autumn', '-o', 'csv', '--out', path, ...flags);
      expect([code, err]).toEqual([0, expect.stringContaining(path)]);
      return readFileSync(path, 'utf8');
    };
    expect(await write()).toMatch(/^\ufeffkey;note;reelay_key;/);
    expect(await write('--delimiter', 'tab')).toMatch(/^\ufeffkey\tnote\treelay_key\t/);
    expect(await write('--delimiter', ',')).toMatch(/^\ufeffkey,note,reelay_key,/);
    expect((await command('results', 'autumn', '-o', 'csv')).out).toMatch(/^key,note,reelay_key,/);
    expect((await command('results', 'autumn', '-o', 'csv', '--delimiter', ';')).out).toMatch(/^key;note;reelay_key;/);
    for (const flags of [
      ['-o', 'csv', '--delimiter', '^'],
      ['-o', 'json', '--delimiter', ';'],
    ])
      expect(await command('results', 'autumn', ...flags)).toMatchObject({ code: 2 });
  });
});
