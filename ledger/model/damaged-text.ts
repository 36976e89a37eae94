import { decode } from 'iconv-lite';

/** The encodings as which programs on Windows and old Macs misread UTF-8. */
const ENCODINGS = ['windows-1252', 'macintosh'];

let tables: ReadonlyMap<string, number>[] | undefined;
/** Created when the first text is compared: most commands compare none. */
function byteTables(): readonly ReadonlyMap<string, number>[] {
  return (tables ??= ENCODINGS.map(tableOf));
}

/** Whether a text is an accepted text in the wrong encoding: “GÃ¤rten” or “G?rten” for “Gärten”. */
export function isDamaged(accepted: string | null, text: string | null): boolean {
  if (accepted === null || text === null || accepted === text) return false;
  const repaired = repair(text);
  if (repaired !== null) return repair(accepted) === null;
  return isLossy(accepted, text);
}

/** The text before its UTF-8 was read in another encoding; null if that didn't happen. */
function repair(text: string): string | null {
  for (const bytes of byteTables()) {
    const found = Array.from(text, (character) => bytes.get(character));
    if (found.some((byte) => byte === undefined)) continue;
    try {
      const repaired = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(found as number[]));
      if (repaired !== text) return repaired;
    } catch {
      // These bytes aren't UTF-8: the text is what its author wrote.
    }
  }
  return null;
}

/** Question marks where the accepted text has letters that an encoding lacks; the rest is the same. */
function isLossy(accepted: string, text: string): boolean {
  const [before, after] = [accepted.normalize('NFC'), text.normalize('NFC')];
  return (
    count(after, /\?/gu) > count(before, /\?/gu) &&
    count(after, FOREIGN_LETTER) < count(before, FOREIGN_LETTER) &&
    after.replace(LOST, '?') === before.replace(LOST, '?')
  );
}

const FOREIGN_LETTER = /(?![a-z])\p{L}/giu;
/** The letters that such an encoding replaces with question marks, one or two each. */
const LOST = /[^\u0000-\u003e\u0040-\u007f]+/gu;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function tableOf(encoding: string): ReadonlyMap<string, number> {
  // Undefined bytes are read as the control characters with the same number.
  const characters = Array.from({ length: 256 }, (_, byte) =>
    decode(Buffer.of(byte), encoding).replace('\ufffd', String.fromCharCode(byte)),
  );
  return new Map(characters.map((character, byte) => [character, byte]));
}
