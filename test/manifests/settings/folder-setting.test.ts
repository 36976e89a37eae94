import { fitsPattern } from '../../../manifests/settings/folder-setting';

test.each([
  ['clip.mp4', '*.mp4', true],
  ['CLIP.MP4', '*.mp4', true],
  ['clip.mp4.part', '*.mp4', false],
  ['a1b22c', 'a?b*c', true],
  ['ab22c', 'a?b*c', false],
  ['aXbXc', 'a*b*c', true],
  ['a', '**', true],
  ['', '*', true],
  ['', '?', false],
  ['🎬.mp4', '?.mp4', true],
  ['[1].mp4', '[1].mp4', true],
  ['1.mp4', '[1].mp4', false],
])('%s fits %s: %s', (name, pattern, fits) => {
  expect(fitsPattern(name, [pattern])).toBe(fits);
});

// An expression made of this pattern tries more ways than there are seconds in a year.
test('a pattern of many stars is refused at once by a name that it nearly fits', () => {
  expect(fitsPattern('a'.repeat(255), [`${'*a'.repeat(100)}*b`])).toBe(false);
});
