import { readFile, writeFile } from 'node:fs/promises';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const on = machineWithService({ faults: ['create title="Two" times=1 -> outcome failed'] });

test('a source corrected in a results sheet and then in the manifest without keys, and a row added to the sheet, are sent once', async () => {
  const { machine, service } = on;
  const show = machine.path('show.csv');
  const rows = ['title,source,platform,profile', 'One,https://v.example/1.mp4,short,Garden'];
  rows.push('Two,https://v.example/wrong.mp4,short,Garden');
  await writeFile(show, `${rows.join('\n')}\n`);
  expect((await machine.run(['run', 'show.csv', '--yes'])).code).toBe(5);

  await machine.here(['results', 'show', '--state', 'failed', '--out', 'fix.csv']);
  const fix = machine.path('fix.csv');
  const [header = '', two = ''] = (await readFile(fix, 'utf8')).trimEnd().split(/\r?\n/u);
  const corrected = two.replace('https://v.example/wrong.mp4', 'https://v.example/2.mp4');
  await writeFile(
    fix,
    `${header}\n${corrected}\nThree,https://v.example/3.mp4,short,Garden${','.repeat(header.split(',').length - 4)}\n`,
  );
  expect((await machine.run(['run', 'fix.csv', '--yes'])).code).toBe(0);
  expect(service.log().map(({ title }) => title)).toEqual(['One', 'Two', 'Two', 'Three']);

  const again = await machine.run(['run', 'show.csv', '--yes', '-o', 'json']);
  expect(again.code).toBe(0);
  await writeFile(show, `${rows.join('\n').replace('wrong.mp4', '2.mp4')}\n`);
  const later = await machine.run(['run', 'show.csv', '--yes', '-o', 'json']);
  expect([later.code, JSON.parse(later.stdout).counts]).toEqual([0, { published: 2 }]);
  expect(service.log()).toHaveLength(4);
  const all = JSON.parse((await machine.here(['results', 'show', '-o', 'json'])).stdout) as {
    rows: { title: string; state: string }[];
  };
  expect(all.rows.map(({ title, state }) => `${title} ${state}`)).toEqual([
    'One published',
    'Two published',
    'Three published',
  ]);
});
