import { type FileHandle, open } from 'node:fs/promises';
import { renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errors, folder, list, MP4, readYaml, removeFolders } from '../support';

afterAll(removeFolders);

/** A folder whose files were last changed long ago. */
function settled(files: Record<string, string | Buffer>): string {
  const base = folder(files);
  for (const name of Object.keys(files)) utimesSync(join(base, name), 1_700_000_000, 1_700_000_000);
  return base;
}

function readFolder(base: string, more = '') {
  const text = `timezone: UTC\ndefaults: {platform: short, profile: Garden}\nvideos: {folder: in${more}}\n`;
  return readYaml(text, { base });
}

describe('a folder', () => {
  test('gives a row for each video in it, in the order of their names, known by their paths', async () => {
    const base = settled({
      'in/clip 10.mp4': MP4,
      'in/Clip 2.MP4': MP4,
      'in/notes.txt': 'no video',
      'in/.hidden.mp4': MP4,
      'in/part.mp4.part': MP4,
      'in/deeper/other.mp4': MP4,
    });
    const reading = await readFolder(base);
    expect(list(reading)).toEqual([]);
    expect(reading.rows.map(({ key, title, line }) => [key, title, line])).toEqual([
      ['in/Clip 2.MP4', 'Clip 2', 1],
      ['in/clip 10.mp4', 'clip 10', 2],
    ]);
    expect(reading.columns).toEqual(['source', 'title']);
    expect(reading.folder).toBe(true);
  });

  test('takes the files that fit a pattern, and makes titles of their names and times', async () => {
    const base = settled({ 'in/a.mp4': MP4, 'in/b.mp4': MP4, 'in/b.mov': MP4 });
    const reading = await readFolder(base, ', pattern: "b.*", title: "{name} of {modified:d MMM yyyy} {{x}}"');
    expect(reading.rows.map(({ key, title }) => [key, title])).toEqual([
      ['in/b.mov', 'b of 14 Nov 2023 {x}'],
      ['in/b.mp4', 'b of 14 Nov 2023 {x}'],
    ]);
  });

  test('takes names literally, whatever they contain, and reports those that aren’t UTF-8', async () => {
    const names = ['a{b}.mp4', 'x{date}.mp4', '{{y}}.mp4', 'q?h#p%20.mp4', 'https:z.mp4', 'back\\slash.mp4', '=1.mp4'];
    const base = settled(Object.fromEntries(names.map((name) => [`in/${name}`, MP4])));
    const bad = Buffer.from(`${join(base, 'in')}/bad-\xff.mp4`, 'latin1');
    writeFileSync(bad, MP4);
    for (const top of ['', 'template: true\n']) {
      const text = `${top}timezone: UTC\ndefaults: {platform: short, profile: Garden}\nvideos: {folder: in}\n`;
      const reading = await readYaml(text, { base });
      expect(list(reading)).toEqual(['warning - - folder-left']);
      expect(reading.problems[0]?.message).toContain('isn’t UTF-8');
      expect(reading.rows.map(({ key, title }) => [key, title]).sort()).toEqual(
        names.map((name) => [`in/${name}`, name.slice(0, -4)]).sort(),
      );
    }
  });

  test('reads the fields of a video from a YAML or CSV beside it', async () => {
    const base = settled({
      'in/a.mp4': MP4,
      'in/a.yaml': 'title: From YAML\nplatform: long\nprivacy: public\neditor: Kim\n',
      'in/b.mp4': MP4,
      'in/b.csv': 'title,description.long,platform\nFrom CSV,About b,long\n',
      'in/c.mp4': MP4,
    });
    const reading = await readFolder(base);
    expect(errors(reading)).toEqual([]);
    expect(reading.rows).toMatchObject([
      { key: 'in/a.mp4', title: 'From YAML', platform: 'platform_b', privacy: 'public', cells: { editor: 'Kim' } },
      { key: 'in/b.mp4', title: 'From CSV', description: 'About b' },
      { key: 'in/c.mp4', title: 'c', platform: 'platform_a' },
    ]);
  });

  test('reports problems in a file beside a video with its name and line', async () => {
    const base = settled({
      'in/a.mp4': MP4,
      'in/a.yaml': 'title: A\nplatform: long\nprivcy: public\n',
      'in/b.mp4': MP4,
      'in/b.csv': 'title\nOne\nTwo\n',
    });
    const reading = await readFolder(base);
    expect(reading.problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'folder-sidecar', file: 'b.csv' },
      { code: 'column-unknown', file: 'a.yaml', line: 3 },
    ]);
    expect(reading.rows).toEqual([]);
  });

  test('leaves a video without its fields for later where they are required', async () => {
    const base = settled({ 'in/a.mp4': MP4, 'in/a.yaml': 'title: A\n', 'in/b.mp4': MP4 });
    const reading = await readFolder(base, ', sidecar: required');
    expect(list(reading)).toEqual(['warning - - folder-left']);
    expect(reading.rows.map(({ title }) => title)).toEqual(['A']);
  });

  test('may be empty, but has to be there', async () => {
    expect(list(await readFolder(settled({ 'in/readme.txt': '' })))).toEqual([]);
    expect(errors(await readFolder(settled({})))).toEqual(['error 3 videos folder-unreadable']);
  });

  test('has no settings but its own', async () => {
    for (const more of [', recursive: yes', ', sidecar: maybe', ', pattern: "a/*.mp4"', ', settled: soon']) {
      expect(errors(await readFolder(settled({}), more))).toEqual(['error 3 videos yaml-shape']);
    }
    expect(errors(await readFolder(settled({ 'in/a.mp4': MP4 }), ', title: "{date}"'))).toEqual([
      'error 3 videos template-placeholder',
    ]);
  });
});

describe('a file that is still being written', () => {
  let growing: FileHandle | undefined;

  afterEach(async () => {
    await growing?.close();
    growing = undefined;
  });

  test('is left for the next time while it grows and while it is open, and taken once it has settled', async () => {
    const base = settled({ 'in/a.mp4': MP4, 'in/b.mp4': MP4 });
    const path = join(base, 'in/b.mp4');
    growing = await open(path, 'a');
    await growing.write('more');
    const names = async (more = '') => (await readFolder(base, more)).rows.map(({ key }) => key);
    // Changed a moment ago.
    expect(await names()).toEqual(['in/a.mp4']);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    // Long ago, as copying programs set it back; but a process has it open.
    const left = await readFolder(base);
    if (process.platform === 'linux') expect(list(left)).toEqual(['warning - - folder-left']);
    await growing.close();
    growing = undefined;
    expect(await names()).toEqual(['in/a.mp4', 'in/b.mp4']);
  });

  test('is seen by a second look where its time doesn’t tell', async () => {
    const base = settled({ 'in/a.mp4': MP4 });
    const path = join(base, 'in/a.mp4');
    // The clock of the machine that writes it goes ahead.
    const ahead = Date.now() / 1_000 + 300;
    utimesSync(path, ahead, ahead);
    let moved = 0;
    const writing = setInterval(() => utimesSync(path, ahead + ++moved, ahead + moved), 100);
    const while_ = await readFolder(base).finally(() => clearInterval(writing));
    expect(list(while_)).toEqual(['warning - - folder-left']);
    expect((await readFolder(base)).rows).toHaveLength(1);
  });

  test('comes under its own name once a hidden one is renamed', async () => {
    const base = settled({ 'in/.a.mp4.X7': MP4 });
    expect((await readFolder(base)).rows).toEqual([]);
    renameSync(join(base, 'in/.a.mp4.X7'), join(base, 'in/a.mp4'));
    expect((await readFolder(base)).rows).toHaveLength(1);
  });
});
