import { type Fields } from './messages';

/** Where the video of a form without its folder is. */
export const VIDEOS = '/videos';

/** An upload as it arrives: its text fields first, then the file, then its end. */
export class Form {
  private constructor(
    private readonly pieces: AsyncIterator<Buffer>,
    /** The form's fields, and the `content` of its file: which versions its bytes came from. */
    readonly fields: Fields,
  ) {}

  static async begin(body: AsyncIterable<Buffer>): Promise<Form> {
    const pieces = body[Symbol.asyncIterator]();
    const { value } = (await pieces.next()) as { value: Buffer };
    const head = value.toString('utf8');
    const texts = [...head.matchAll(/name="(\w{1,40})"\r\n\r\n([^\r]*)\r\n/gu)].map(([, name = '', text = '']) => [
      name,
      text,
    ]);
    const [, file = ''] = /filename="([^"]{1,200})"/u.exec(head) ?? [];
    return new Form(pieces, { ...Object.fromEntries(texts), video: `${VIDEOS}/${file}`, content: '' } as Fields);
  }

  /** Accepts the next piece. Returns false if that was the end. @throws what is wrong with the file */
  async next(): Promise<boolean> {
    const { done, value } = await this.pieces.next();
    if (done === true) return false;
    const [version = 0] = value;
    // The form's own end begins with a line break.
    const { content = '' } = this.fields;
    if (version !== 13 && !content.includes(String(version))) this.fields['content'] = `${content}${version}`;
    return true;
  }

  async close(): Promise<void> {
    await this.pieces.return?.();
  }
}
