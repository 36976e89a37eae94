import { decode } from 'iconv-lite';

/** What programs on Windows and old Macs take the bytes of UTF-8 for. */
const ENCODINGS = ['windows-1252', 'macintosh'];

let tables: ReadonlyMap<string, number>[] | undefined;
/** Made when the first text is compared: most commands compare none. */
function byteTables(): readonly ReadonlyMap<string, number>[] {
  return (tables ??= ENCODINGS.map(tableOf));
}

/** Whether a text is what an accepted one becomes in the wrong encoding: “GÃ¤rten” or “G?rten” for “Gärten”. */
export function isDamaged(accepted: string | null, text: string | null): boolean {
  if (accepted === null || text === null || accepted === text) return false;
  const repaired = repair(text);
  if (repaired !== null) return repair(accepted) === null;
  return isLossy(accepted, text);
}

/** The text before its UTF-8 was read in another encoding; null where it was not. */
function repair(text: string): string | null {
  for (const bytes of byteTables()) {
    const found = Array.from(text, (character) => bytes.get(character));
    if (found.some((byte) => byte === undefined)) continue;
    try {
      const repaired = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(found as number[]));
      if (repaired !== text) return repaired;
    } catch {
      // These bytes are no UTF-8: the text is as somebody wrote it.
    }
  }
  return null;
}

/** Question marks where the accepted text has letters that an encoding doesn’t have. The rest is the same. */
function isLossy(accepted: string, text: string): boolean {
  const [before, after] = [accepted.normalize('NFC'), text.normalize('NFC')];
  return (
    count(after, /\?/gu) > count(before, /\?/gu) &&
    count(after, FOREIGN_LETTER) < count(before, FOREIGN_LETTER) &&
    after.replace(LOST, '?') === before.replace(LOST, '?')
  );
}

const FOREIGN_LETTER = /(?![a-z])\p{L}/giu;
/** What such an encoding makes question marks of: one for each, or two. */
const LOST = /[^\u0000-\u003e\u0040-\u007f]+/gu;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function tableOf(encoding: string): ReadonlyMap<string, number> {
  // Bytes that stand for nothing are read as the control characters of the same number.
  const characters = Array.from({ length: 256 }, (_, byte) =>
    decode(Buffer.of(byte), encoding).replace('\ufffd', String.fromCharCode(byte)),
  );
  return new Map(characters.map((character, byte) => [character, byte]));
}
