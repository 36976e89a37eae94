import { compareTitles } from '../../../activities/compare/title-likeness';

describe('compareTitles', () => {
  it.each([
    ['Winter bees', 'Winter bees', 'exact'],
    ['Winter  bees!', 'winter bees', 'same'],
    ['Winter bees and their honey', 'Winter bees a…', 'cut'],
    ['Winter bees and their honey', 'Winter bees a', 'near'],
    ['Winter bees', 'Wint…', 'near'],
    ['Episode 1', 'Episode 12', 'near'],
    ['Episode 1', 'Episode 2', 'near'],
    ['Winter bees', 'Garden TV – Winter bees', 'near'],
    ['Winter bees', 'Sowing broad beans', 'far'],
    ['Winter bees', 'clip-7919', 'far'],
    ['🌾🌾', 'Winter bees', 'unknown'],
    [null, 'Winter bees', 'unknown'],
    ['Winter bees', undefined, 'unknown'],
    ['Winter bees', '', 'unknown'],
  ] as const)('%j shown as %j: %s', (sent, shown, expected) => {
    expect(compareTitles(sent, shown)).toBe(expected);
  });
});
