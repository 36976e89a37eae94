import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Bench, entries, submission } from '../../ledger/support';
import { type RunRef } from '../../../ledger/model/types';
import { startSandbox } from '../../../sandbox/server';
import { currentProcess } from '../../../host/process-identity';
import { Terminal, tmuxIsThere } from '../../support/tmux';
import { until } from '../support/cli-process';

jest.setTimeout(600_000);

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');
const describeInTmux = tmuxIsThere ? describe : describe.skip;

let bench: Bench;
let run: RunRef;
/** The row that is under way, as `pub-1`. */
let accepted: number;
let pulse: NodeJS.Timeout;

/** A run with a row that was rejected, one under way, and others that wait for their channel's cap. */
beforeEach(async () => {
  bench = new Bench();
  bench.time = Date.now();
  await bench.open();
  // A worker that exists and responds for as long as the test: otherwise the run would be shown as one without a
  // worker, or with a silent one.
  await bench.ledger.registerWorker(currentProcess());
  pulse = setInterval(() => {
    bench.time = Date.now();
    void bench.ledger.workerSeen(currentProcess().id);
  }, 2_000);
  const pace = [{ maxPer: [{ count: 2, windowMs: 86_400_000 }] }];
  run = await bench.begin(submission(entries('ep-1', 'ep-2', 'ep-3', 'ep-4'), { settings: { pace } }));
  const [bad = 0, good = 0] = await bench.rowIds(run);
  await bench.ledger.record(bad, await bench.claimed(run, bad), {
    kind: 'rejected',
    code: 'http-422',
    message: 'the title is taken',
  });
  accepted = good;
  await bench.ledger.record(good, await bench.claimed(run, good), {
    kind: 'accepted',
    publicationId: 'pub-1',
    status: 'processing',
  });
});
afterEach(() => {
  clearInterval(pulse);
  return bench.close();
});

const environment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: bench.folder,
  REELAY_HOME: dirname(bench.path),
});

async function inTerminal(
  args: readonly string[],
  options: { columns: number; env?: Record<string, string> },
  look: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const env = { ...environment(), ...options.env };
  const terminal = new Terminal(`'${process.execPath}' '${MAIN}' ${args.join(' ')}`, { ...options, env });
  try {
    await look(terminal);
  } finally {
    terminal.close();
  }
}

const text = (lines: readonly string[]): string => lines.join(' ').replace(/\s+/gu, ' ');
const times = (lines: readonly string[], word: string): number => text(lines).split(word).length - 1;

describeInTmux('a terminal', () => {
  it.each([80, 40])(
    'of %d columns: watch shows the whole state, once, also after a resize, and leaves at Ctrl-C',
    async (columns) => {
      await inTerminal(['watch', 'spring'], { columns }, async (terminal) => {
        const whole = (): boolean =>
          ['1/4', '1 processing', '2 planned', '1 rejected', 'rejected: row 2', 'title is taken', 'h left'].every(
            (word) => text(terminal.screen()).includes(word),
          );
        await until(whole);
        terminal.resize(120 - columns);
        await until(() => whole() && terminal.screen().some((line) => /spring\.1/u.test(line)));
        expect([times(terminal.screen(), '1/4'), times(terminal.screen(), '2 planned')]).toEqual([1, 1]);
        // Drawn again when a row has ended, it is still there once.
        await bench.ledger.recordEnds([
          { rowId: accepted, publicationId: 'pub-1', state: 'published', status: 'published' },
        ]);
        const drawn = () => ['1/4', '2/4', '1 published', '2 planned'].map((word) => times(terminal.screen(), word));
        await until(() => drawn().join() === '0,1,1,1');
        terminal.press('C-c');
        await until(() => text(terminal.screen()).includes('reelay watch spring.1'));
        expect(times(terminal.screen(), '2/4')).toBe(0);
        expect(text(terminal.screen())).toContain('STATE ROWS MEANING');
        // The run continues: only watching it was stopped.
        expect(text(terminal.screen())).toContain('stopped watching');
        expect(text(terminal.screen())).not.toContain('interrupted');
      });
    },
  );

  it.each([80, 40])('of %d columns: status, list and results fit their tables', async (columns) => {
    for (const [command, words] of [
      ['status', ['rejected', 'planned', 'processing']],
      ['list', ['spring.1', 'running']],
      ['results', ['ep-1', 'ep-4', 'rejected']],
    ] as const) {
      await inTerminal([command, command === 'list' ? '' : 'spring'], { columns }, async (terminal) => {
        await until(() => words.every((word) => text(terminal.screen()).includes(word)));
        const [header = ''] = terminal.screen().filter((line) => /^(STATE|NEWEST RUN|ROW)\b/u.test(line));
        expect(header).toMatch(command === 'results' ? /RESULT$/u : /MEANING$|ROWS|WAITS FOR$/u);
      });
    }
  });

  it('has colours, and none with NO_COLOR; TERM=dumb has neither colours nor anything redrawn', async () => {
    const colour = /\u001b\[3\dm/u;
    await inTerminal(['watch', 'spring'], { columns: 80 }, async (terminal) => {
      await until(() => colour.test(terminal.screen('-e').join('\n')));
    });
    await inTerminal(['watch', 'spring'], { columns: 80, env: { NO_COLOR: '1' } }, async (terminal) => {
      await until(() => text(terminal.screen()).includes('1 rejected'));
      expect(terminal.screen('-e').join('\n')).not.toMatch(colour);
    });
    await inTerminal(['watch', 'spring'], { columns: 80, env: { TERM: 'dumb' } }, async (terminal) => {
      await until(() => text(terminal.screen()).includes('spring.1: 1 of 4 rows ended'));
      expect(terminal.screen('-e').join('\n')).not.toMatch(/\u001b\[3\d|█/u);
    });
  });

  it('check asks once how the columns of another tool’s file are read, and Enter says yes', async () => {
    const file = join(__dirname, '..', '..', 'manifests', 'exports', 'hootsuite.csv');
    await inTerminal(['check', file, '--timezone', 'UTC'], { columns: 240 }, async (terminal) => {
      const shows = (words: string) => until(() => text(terminal.screen()).includes(words));
      await shows('looks like a file of Hootsuite.');
      await shows(
        'Read it with --column 1=publish_at --column 2=title.short+description.long --column 3=source? (Y/n)',
      );
      terminal.press('Enter');
      await shows('refused hootsuite.csv');
      const screen = text(terminal.screen());
      expect(screen).toContain('column-missing line 1, platform');
      // With the mapping that was confirmed.
      expect(screen).toMatch(/`reelay plan \S+ --timezone UTC --column 1=publish_at --column 2=/u);
      expect(screen).not.toContain('export-format');
      expect(times(terminal.screen(), '(Y/n)')).toBe(1);
    });
  });

  it('init never shows a key that is pasted at its question, and asks again after a bad answer', async () => {
    const key = 'sk-live-4f9a8b7c6d5e4f3a2b1c';
    const env = { REELAY_API_KEY: 'their-key', REELAY_HOME: join(bench.folder, 'own') };
    await inTerminal(['init', '--dir', join(bench.folder, 'new')], { columns: 240, env }, async (terminal) => {
      const shows = (words: string) => until(() => text(terminal.screen()).includes(words));
      await shows('Address of the publishing service:');
      terminal.type(key);
      await shows('••••');
      expect(text(terminal.screen())).not.toContain(key.slice(0, 6));
      terminal.press('Enter');
      await shows('looks like the key itself');
      terminal.type('nonsense');
      terminal.press('Enter');
      await shows('That is not an address.');
      terminal.press('C-c');
      await shows('interrupted; nothing was done');
      expect(text(terminal.screen())).not.toContain(key.slice(0, 6));
    });
  });

  it('init says how a key is set, and asks again, where the variable isn’t set', async () => {
    const env = { REELAY_API_KEY: '', REELAY_HOME: join(bench.folder, 'own') };
    const args = ['init', '--base-url', 'https://service.example', '--dir', join(bench.folder, 'new')];
    await inTerminal(args, { columns: 240, env }, async (terminal) => {
      const shows = (words: string) => until(() => text(terminal.screen()).includes(words));
      await shows('Environment variable that holds the API key: [REELAY_API_KEY]');
      terminal.press('Enter');
      await shows('REELAY_API_KEY is not set in this terminal.');
      await shows('`read -rs REELAY_API_KEY && export REELAY_API_KEY`');
      await shows('`reelay init --base-url https://service.example`');
      terminal.type('OTHER_KEY');
      terminal.press('Enter');
      await shows('OTHER_KEY is not set in this terminal.');
      expect(times(terminal.screen(), 'holds the API key:')).toBe(3);
      terminal.press('C-c');
      await shows('interrupted; nothing was done');
    });
  });

  it('a real run asks once before it publishes; without a yes, nothing is sent', async () => {
    const service = await startSandbox({ apiKey: 'their-key' });
    try {
      const sheet = join(bench.folder, 'sheet.csv');
      const later = new Date(Date.now() + 3 * 86_400_000).toISOString();
      const row = (name: string, at: string) => `${name},https://videos.example/${name}.mp4,short,Garden,${name},${at}`;
      writeFileSync(sheet, `key,source,platform,profile,title,publish_at\n${row('a', '')}\n${row('b', later)}\n`);
      const env = {
        REELAY_API_KEY: 'their-key',
        REELAY_BASE_URL: service.baseUrl,
        REELAY_HOME: join(bench.folder, 'own'),
      };
      await inTerminal(['run', sheet, '--no-probe'], { columns: 240, env }, async (terminal) => {
        await until(() => text(terminal.screen()).includes('Publish 2 videos to 1 channel, first now, last '));
        expect(text(terminal.screen())).toContain('This computer has to stay on');
        terminal.type('n');
        terminal.press('Enter');
        await until(() => text(terminal.screen()).includes('Not confirmed; nothing was done.'));
      });
      expect(service.log()).toEqual([]);
    } finally {
      await service.close();
    }
  });
});

/** Its worker responds meanwhile. */
function withoutTerminal(args: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const env = { ...environment(), CI: 'true' };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('without a terminal, as in CI', () => {
  it('watch prints one line per change and each row that went wrong once; only the answer is on standard output', async () => {
    const ended = await withoutTerminal(['watch', 'spring', '--timeout', '4s']);
    const lines = ended.stderr.split('\n').filter((line) => line.startsWith('spring.1: 1 of 4 rows ended'));
    const changes = lines.map((line) => line.replace(/ · about .* left$/u, ''));
    expect(changes.length).toBeGreaterThan(0);
    expect(changes).toEqual([...new Set(changes)]);
    expect(ended.stderr.split('rejected: row 2').length - 1).toBe(2);
    expect(ended.stderr + ended.stdout).not.toContain('\u001b');
    expect(ended.stdout).toMatch(/^spring\.1 .*rows succeeded; .*1 rejected.*\nSTATE\tROWS\tMEANING\n/u);
    expect(ended.status).toBe(5);
  });

  it('list and results are tab-separated with whole times', async () => {
    const list = await withoutTerminal(['list']);
    expect(list.stdout).toMatch(
      /^NEWEST RUN\tSTATE\tSTARTED\tFINISHED\tBY\tROWS\tWAITS FOR\nspring\.1\trunning\t\d{4}-\S+Z\t/u,
    );
    const results = await withoutTerminal(['results', 'spring']);
    expect(
      results.stdout
        .replace(/\n$/u, '')
        .split('\n')
        .map((line) => line.split('\t').length),
    ).toEqual([6, 6, 6, 6, 6]);
  });
});
