import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINTS } from '../sandbox/fault-rules';
import * as limits from '../service/limits';

const page = readFileSync(join(__dirname, '..', 'docs', 'interface.md'), 'utf8');

/** Rows of the tables under a heading, without their heads. */
function rows(heading: string): string[][] {
  const part = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = part.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('no row of docs/interface.md is empty', () => {
  for (const heading of ['Endpoints', 'Fields', 'Limits', 'States', 'Not shown']) {
    expect(rows(heading).length).toBeGreaterThan(5);
    for (const row of rows(heading)) expect(row.filter((cell) => cell === '')).toEqual([]);
  }
});

test('its endpoints are those of the client, as many as the stand-in has', () => {
  const client = readFileSync(join(__dirname, '..', 'service', 'client.ts'), 'utf8');
  const shown = rows('Endpoints').map(([endpoint = '']) => endpoint.replaceAll('`', ''));
  expect(shown).toHaveLength(ENDPOINTS.length);
  const methods = ['listProfiles', 'getProfile', 'publishDirect', 'listPublications', 'createPublication'];
  for (const method of [...methods, 'getPublication', 'updatePublication', 'deletePublication'])
    expect(client).toMatch(new RegExp(`async ${method}\\(`));
  expect(new Set(shown).size).toBe(shown.length);
});

test('its limits are those that are checked', () => {
  const number = (value: number): string => value.toLocaleString('en-US');
  expect(rows('Limits').map(([, value]) => value)).toEqual([
    number(limits.TITLE_LIMIT.short),
    number(limits.TITLE_LIMIT.long),
    number(limits.DIRECT_TITLE_LIMIT),
    number(limits.DESCRIPTION_LIMIT),
    number(limits.DIRECT_MAX_BYTES),
    limits.DIRECT_FORMATS.join(', '),
    limits.PRIVACIES.join(', '),
    limits.CREATE_STATUSES.join(', '),
    limits.PATCH_STATUSES.join(', '),
    `${limits.PAGE_SIZE_MIN} to ${limits.PAGE_SIZE_MAX}`,
  ]);
});
