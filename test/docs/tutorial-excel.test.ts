import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { type RunningCommand, UserMachine } from '../e2e/support/cli-process';
import { textRow, workbookFile } from '../manifests/parse/workbook-file';

jest.setTimeout(600_000);

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'tutorial-excel.md'), 'utf8');

let machine: UserMachine;
let up: RunningCommand | null = null;
beforeAll(async () => {
  machine = await UserMachine.create();
});
afterAll(async () => {
  up?.child.kill('SIGINT');
  await up?.ended;
  await machine.remove();
});

/** The commands of each `sh` block, with the lines that the page shows below it. */
const steps = [...page.matchAll(/```sh\n([^]*?)```(?:\n\n```\n([^]*?)```)?/g)].map(([, commands = '', shown = '']) => ({
  commands: commands.trim().split('\n'),
  shown: shown.split('\n').filter((line) => line !== ''),
}));

const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);

/** How often progress is shown depends on the machine: a run may be over before its last line of it. */
const PROGRESS = / rows ended · /;

/** Without what differs each time: ids and folders. In a pipe, columns are separated by tabs. */
const steady = (text: string): string =>
  text
    .replaceAll(/\/watch\/\w+/g, '/watch/ID')
    .replaceAll(machine.home, '~/.local/share/reelay')
    .replaceAll(/[ \t]+/g, ' ');

/** The table of the page as a workbook, with its last column as Excel dates. */
function workbook(): Buffer {
  const [header = [], , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
  const lines = rows.map((cells, at) => {
    const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = (cells.at(-1) ?? '').split(/\D/).map(Number);
    const days = (Date.UTC(year, month - 1, day, hour, minute) - Date.UTC(1899, 11, 30)) / 86_400_000;
    const date = `<c s="1"><v>${String(days)}</v></c></row>`;
    return textRow(at + 2, cells.slice(0, -1)).replace('</row>', date);
  });
  const sheet = { name: 'Plan', rows: textRow(1, header) + lines.join('') };
  return workbookFile({ sheets: [sheet], formats: ['dd.mm.yyyy hh:mm'] });
}

async function sheetsOf(name: string): Promise<string[]> {
  const files = unzipSync(await readFile(machine.path(name)));
  return [1, 2].map((number) => strFromU8(files[`xl/worksheets/sheet${String(number)}.xml`] ?? new Uint8Array()));
}

/** Changes cells of “To correct”, as the page says. */
async function correct(): Promise<void> {
  const listed = page.slice(page.indexOf('In “To correct”:'));
  const [, from = '', to = ''] = /title `([^`]+)` to `([^`]+)`/.exec(listed) ?? [];
  const [, source = ''] = /source of the bread video to `([^`]+)`/.exec(listed) ?? [];
  const files = unzipSync(await readFile(machine.path('fix.xlsx')));
  const sheet = strFromU8(files['xl/worksheets/sheet2.xml'] ?? new Uint8Array());
  const corrected = sheet
    .replace(`>${from}<`, `>${to}<`)
    .replace('>https://example.com/videos/bread.mp4<', `>${source}<`);
  files['xl/worksheets/sheet2.xml'] = strToU8(corrected);
  await writeFile(machine.path('fix.xlsx'), zipSync(files));
}

test('every command of the tutorial for Excel shows what the page says', async () => {
  await writeFile(machine.path('spring.xlsx'), workbook());
  expect(steps.length).toBeGreaterThan(6);
  expect(steps.flatMap(({ shown }) => shown).length).toBeGreaterThan(20);
  for (const { commands, shown } of steps) {
    let output = '';
    for (const command of commands) {
      if (command.startsWith('reelay run fix.xlsx')) await correct();
      if (command.startsWith('reelay up')) {
        up = machine.start(wordsOf(command));
        await up.says(/Running\. Ctrl-C/u);
      } else {
        const { stdout, stderr } = await machine.run(wordsOf(command));
        output += `${stdout}\n${stderr}`;
      }
    }
    const lines = steady(output).split('\n');
    for (const line of shown) if (!PROGRESS.test(line)) expect(lines).toContain(steady(line));
  }
  const [all = '', toCorrect = ''] = await sheetsOf('results.xlsx');
  for (const text of ['Editor', 'Ben', 'Roses in spring', 'https://example.com/videos/bread-2.mp4'])
    expect(all).toContain(`>${text}<`);
  expect(all.match(/<row /g)).toHaveLength(5);
  expect(toCorrect).toBe('');
});
