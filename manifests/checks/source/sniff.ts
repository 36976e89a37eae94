/** The type of a file according to its first bytes. `video` is false for things that aren't a video at all. */
export interface Sniffed {
  video: boolean;
  /** `mp4`, `mov`, `avi`, …; or words for something else. */
  format: string;
}

/** Number of bytes that `sniff` needs. */
export const SNIFF_BYTES = 512;

const BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'free', 'skip', 'wide', 'pnot']);

/** Recognises the container of a video by its content; undefined if the content isn't recognised. */
export function sniff(head: Buffer): Sniffed | undefined {
  const ascii = head.toString('latin1');
  const box = ascii.slice(4, 8);
  if (box === 'ftyp') {
    const brand = ascii.slice(8, 12);
    if (/^(heic|heix|mif1|avif|msf1)/.test(brand)) return { video: false, format: 'a picture (HEIF)' };
    if (/^M4A /.test(brand)) return { video: false, format: 'a sound file (M4A)' };
    return { video: true, format: brand === 'qt  ' ? 'mov' : 'mp4' };
  }
  if (BOXES.has(box)) return { video: true, format: 'mov' };
  if (ascii.startsWith('RIFF'))
    return ascii.slice(8, 12) === 'AVI '
      ? { video: true, format: 'avi' }
      : { video: false, format: 'a RIFF file without video' };
  if (ascii.startsWith('\x1a\x45\xdf\xa3')) return { video: true, format: ascii.includes('webm') ? 'webm' : 'mkv' };
  if (ascii.startsWith('FLV\x01')) return { video: true, format: 'flv' };
  if (ascii.startsWith('\x00\x00\x01\xba') || ascii.startsWith('\x00\x00\x01\xb3'))
    return { video: true, format: 'mpeg' };
  if (ascii.startsWith('\x30\x26\xb2\x75\x8e\x66\xcf\x11')) return { video: true, format: 'wmv' };
  if (ascii.startsWith('OggS')) return { video: true, format: 'ogg' };
  if (head[0] === 0x47 && head[188] === 0x47) return { video: true, format: 'mpeg-ts' };
  return sniffOther(head, ascii);
}

function sniffOther(head: Buffer, ascii: string): Sniffed | undefined {
  if (ascii.startsWith('version https://git-lfs'))
    return { video: false, format: 'a Git LFS pointer, not the file itself' };
  if (/^\s*<(!doctype|html|\?xml)/i.test(ascii)) return { video: false, format: 'a web page or XML' };
  if (ascii.startsWith('\x89PNG') || ascii.startsWith('\xff\xd8\xff') || ascii.startsWith('GIF8'))
    return { video: false, format: 'a picture' };
  if (ascii.startsWith('PK\x03\x04')) return { video: false, format: 'a ZIP archive' };
  if (ascii.startsWith('%PDF')) return { video: false, format: 'a PDF' };
  if (ascii.startsWith('ID3')) return { video: false, format: 'a sound file (MP3)' };
  if (head.length > 0 && head.every((byte) => byte === 0))
    return { video: false, format: 'nothing but zeros (an unfinished copy?)' };

  if (/^[\x09\x0a\x0d\x20-\x7e]+$/.test(ascii)) return { video: false, format: 'text' };
  return undefined;
}
