import { compareTexts, normalisedText } from '../../../activities/compare/normalised-text';

const SENT = '  Tom & Jerry’s “Déjà  vu” 🎬 – Part 12: Straße ';

describe('compareTexts', () => {
  it.each([
    ['as it is', SENT],
    ['trimmed and with its whitespace collapsed', SENT.trim().replace(/\s+/g, ' ')],
    ['lower-cased', SENT.toLowerCase()],
    ['upper-cased', SENT.toUpperCase()],
    ['HTML-encoded', SENT.replace('&', '&amp;').replace('’', '&#39;').replace('é', '&eacute;').replace('–', '&ndash;')],
    ['HTML-encoded twice', SENT.replace('&', '&amp;amp;').replace('é', '&#xE9;')],
    ['in Unicode form NFD', SENT.normalize('NFD')],
    ['in Unicode form NFKC', SENT.normalize('NFKC')],
    ['without its emoji', SENT.replace('🎬', '')],
    ['with straight quotes', SENT.replace('’', "'").replace(/[“”]/g, '"')],
    ['with CRLF', SENT.replace('  ', '\r\n')],
  ])('takes a text shown %s for the same', (_, shown) => {
    expect(compareTexts(SENT, shown)).toBe('same');
  });

  it.each([
    ['with an ellipsis', 'Tom & Jerry’s “Déjà…'],
    ['with three dots', 'Tom & Jerry’s “Dé...'],
    ['without a mark', 'Tom & Jerry’s “Déj'],
    ['within an HTML entity', 'Tom &am…'],
    ['between a letter and its mark', 'Tom & Jerry’s “De…'],
    ['in the middle of a surrogate pair', SENT.slice(0, SENT.indexOf('🎬') + 1)],
  ])('recognises a text truncated %s', (_, shown) => {
    expect(compareTexts(SENT, shown)).toBe('truncated');
  });

  it.each(['Tom & Jerry’s “Déjà  vu” 🎬 – Part 13: Straße', 'Jerry', 'Tom & Jerry, uncut and in full', 'Tim…'])(
    'takes %j for a different text',
    (shown) => {
      expect(compareTexts(SENT, shown)).toBe('different');
    },
  );

  it('takes a title that continues the sent one for a different text', () => {
    expect(compareTexts('Episode 1', 'Episode 12')).toBe('different');
  });

  it('says nothing about texts without a letter or digit', () => {
    expect(compareTexts('🎬🎬', '')).toBe('unclear');
    expect(compareTexts('🎬🎬', '🎬🎬')).toBe('same');
    expect(compareTexts('Title', '…')).toBe('unclear');
  });
});

describe('normalisedText', () => {
  it('keeps letters, digits and their marks in every script', () => {
    expect(normalisedText('हिन्दी भाग २')).toBe('हिन्दीभाग२'.normalize('NFKD'));
    expect(normalisedText('第１２話')).toBe('第12話');
    expect(normalisedText('한국어')).toBe('한국어'.normalize('NFKD'));
  });

  it('leaves what only looks like an entity', () => {
    expect(normalisedText('R&D; rock&roll; &#99999999;')).toBe('rdrockroll99999999');
  });
});
