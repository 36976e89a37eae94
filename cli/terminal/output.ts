import stringWidth from 'string-width';
import { withPlace } from './texts/command-text';
import { type Explanation } from '../errors/explain-error';
import { isLogged, type LogLevel, type LogStyle } from './log-flags';
import { type Clock, inReaderZone, machineZone, timeText } from '../../wording/times';
import { fileText, safeJson, streamText } from './safe-text';
import { wrapLine } from './wrap';
import { alignedTable, shorten, tabSeparated, type TableColumn } from './table';

export const FORMATS = ['text', 'json', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number] | 'csv' | 'html' | 'ics' | 'xlsx';

/** A stream as far as output needs it; tests provide their own. */
export interface OutputStream {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error & { code?: string }) => void): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

export interface TerminalEnvironment {
  noColor: boolean;
  /** TERM=dumb: a terminal that can't move its cursor. */
  dumb: boolean;
}

export interface OutputOptions {
  stdout: OutputStream;
  stderr: OutputStream;
  format: Format;
  environment: TerminalEnvironment;
  verbose?: boolean;
  logStyle?: LogStyle | null;
  /** Commands that are shown to a person get the sandbox's flag too. */
  sandbox?: boolean;
}

const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;
export type Style = keyof typeof STYLES;

/**
 * The only module that knows about terminals. Standard output carries only data; everything for people goes to standard
 * error. Without a terminal there is no colour and no redrawing.
 */
export class Output {
  readonly format: Format;
  readonly verbose: boolean;
  /** Standard output is a terminal: tables are aligned and fitted to its width. */
  readonly wide: number | null;
  /** Standard error is a terminal that can redraw a line, and isn't a log. */
  readonly live: boolean;
  /** The command's log flags; null without any. */
  readonly logStyle: LogStyle | null;
  /** The zone in which times are shown: the manifest's once it is known, the machine's before. */
  zone: string = machineZone();
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #color: { out: boolean; err: boolean };
  readonly #sandbox: boolean;
  readonly #secrets = new Set<string>();
  #closed = false;
  /** Widths of the lines that the next drawing replaces. */
  #drawn: number[] = [];

  constructor(options: OutputOptions) {
    const { stdout, stderr, environment } = options;
    this.format = options.format;
    this.verbose = options.verbose ?? false;
    this.#sandbox = options.sandbox ?? false;
    this.wide = stdout.isTTY ? Math.max(40, stdout.columns ?? 80) : null;
    this.logStyle = options.logStyle ?? null;
    this.live = Boolean(stderr.isTTY) && !environment.dumb && this.logStyle?.format !== 'json';
    this.#color = {
      out: Boolean(stdout.isTTY) && !environment.noColor && !environment.dumb,
      err: Boolean(stderr.isTTY) && !environment.noColor && !environment.dumb && this.logStyle?.format !== 'json',
    };
    this.#stdout = stdout;
    this.#stderr = stderr;
    // Any other failure there is reported by the write itself.
    stdout.on('error', (error) => {
      if (isClosed(error)) this.#closed = true;
    });
    // If nothing reads standard error, its text is lost, but the work continues.
    stderr.on('error', () => undefined);
  }

  get isText(): boolean {
    return this.format === 'text';
  }

  get width(): number {
    return this.wide ?? Math.max(40, this.#stderr.columns ?? 80);
  }

  get clock(): Clock {
    return { zone: this.zone, now: Date.now() };
  }

  /** A time (ms or ISO) as it is shown to a person; null stays null. */
  time<At extends number | string | null>(at: At): string | (At & null) {
    return at === null ? (at as At & null) : timeText(at, this.clock);
  }

  /** A time in a table: for people on a terminal, ISO in a pipe. */
  cell(iso: string | null): string | null {
    return this.wide === null ? iso : this.time(iso);
  }

  /** A sentence of ours with its UTC times converted to the reader's zone. */
  local(text: string): string {
    return inReaderZone(text, this.clock);
  }

  /** Masked in everything that is printed for people; data is not changed. */
  hide(secret: string): void {
    if (secret.length >= 4) this.#secrets.add(secret);
  }

  /** The reader of standard output has gone, as with `head`: long output needs no further reading. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Writes a piece of a file's text (CSV, HTML, lines), or with `json` of JSON, and waits while the reader is slow.
   * Once the reader has gone, the piece is dropped: the command still ends with the exit code that it would have with a
   * reader.
   * @throws Error of the system, for example for a full disk
   */
  async data(text: string, kind: 'file' | 'json' = 'file'): Promise<void> {
    await this.#write(kind === 'json' ? safeJson(text) : fileText(text, { terminal: this.wide !== null }));
  }

  async #write(text: string): Promise<void> {
    this.#erase();
    if (this.#closed) return;
    await new Promise<void>((resolve, reject) => {
      this.#stdout.write(text, (error) => {
        if (error && isClosed(error)) this.#closed = true;
        if (error && !isClosed(error)) reject(error);
        else resolve();
      });
    });
  }

  /**
   * Lines of text; on a terminal, lines that are too wide are broken between words, and continue `hanging` cells from
   * the edge.
   */
  async lines(lines: readonly string[], hanging?: number): Promise<void> {
    const { wide } = this;
    await this.#rows(wide === null ? lines : lines.flatMap((line) => wrapLine(line, wide, hanging)));
  }

  async #rows(lines: readonly string[]): Promise<void> {
    const style = this.#color.out;
    if (lines.length > 0)
      await this.#write(lines.map((line) => `${streamText(line, { style, breaks: false })}\n`).join(''));
  }

  /** A value as the answer in `json`; as one line in `jsonl`. */
  async json(value: unknown): Promise<void> {
    await this.#write(`${safeJson(this.format === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value))}\n`);
  }

  /** A progress event; only `jsonl` shows those. */
  async event(value: object): Promise<void> {
    if (this.format === 'jsonl') await this.#write(`${safeJson(JSON.stringify({ version: 1, ...value }))}\n`);
  }

  /** Aligned on a terminal, tab-separated in a pipe. */
  async table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): Promise<void> {
    if (this.wide === null) return this.lines(tabSeparated(rows, columns));
    const [header, ...body] = alignedTable(rows, columns, this.wide);
    await this.#rows([this.paint('bold', header ?? '', 'out'), ...body]);
  }

  /** A line for a person; in a JSON log, a log line. */
  note(text: string): void {
    if (this.logStyle?.format === 'json') this.log('info', text);
    else this.#line(text);
  }

  warn(text: string): void {
    if (this.logStyle?.format === 'json') this.log('warn', text);
    else this.note(`${this.paint('yellow', 'warning:')} ${text}`);
  }

  /** A log line with its fields. Without log flags: warnings and errors. */
  log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const style = this.logStyle ?? { format: 'text', level: 'warn' };
    if (!isLogged(level, style)) return;
    if (style.format === 'json') {
      this.#line(safeJson(JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })));
      return;
    }
    const detail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
    const head = { debug: this.paint('dim', 'debug:'), info: 'info:', warn: 'warning:', error: 'error:' }[level];
    const colour = level === 'warn' ? 'yellow' : level === 'error' ? 'red' : null;
    this.#line(`${colour === null ? head : this.paint(colour, head)} ${message}${detail}`);
  }

  #line(text: string, breaks = false): void {
    this.#erase();
    const safe = streamText(this.#forPerson(text), { style: this.#color.err, breaks });
    this.#say(`${this.#wrapped(safe)}\n`);
  }

  /** For people on a terminal; log lines are not wrapped. */
  #wrapped(text: string): string {
    const { isTTY, columns } = this.#stderr;
    if (isTTY !== true || columns === undefined || this.logStyle?.format === 'json') return text;
    const lines = text.split('\n').flatMap((line) => wrapLine(line, Math.max(40, columns)));
    return lines.join('\n');
  }

  /** A few lines that the next call replaces; only on a live terminal. */
  redraw(lines: readonly string[]): void {
    if (!this.live) return;
    const keep = { style: this.#color.err, breaks: false };
    const shown = lines.map((line) => fitted(streamText(this.mask(line), keep), this.drawWidth));
    // One write: erasing and drawing separately would flicker.
    this.#say(`${this.#up()}\r${shown.map((line) => `${line}\u001b[K`).join('\n')}\n\u001b[J`);
    this.#drawn = shown.map((line) => stringWidth(line));
  }

  /** The current maximum width of a redrawn line: people resize their terminals. */
  get drawWidth(): number {
    return Math.max(20, (this.#stderr.columns ?? 80) - 1);
  }

  /** Removes the redrawn lines. */
  clear(): void {
    this.#erase();
  }

  paint(style: Style, text: string, stream: 'out' | 'err' = 'err'): string {
    return this.#color[stream] ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  }

  /** An error: as data in JSON modes, as text for a person otherwise. */
  async error(explanation: Explanation): Promise<void> {
    const message = this.#forPerson(explanation.message);
    const hint = explanation.hint === null ? null : this.#forPerson(explanation.hint);
    if (this.format === 'json' || this.format === 'jsonl') {
      const error = { code: explanation.code, message, hint };
      const value = { version: 1, error, ...(explanation.problems === null ? {} : { problems: explanation.problems }) };
      await this.json(value).catch(() => undefined);
    } else if (this.logStyle?.format === 'json') this.log('error', message, { code: explanation.code, hint });
    else {
      // A message may list problems, one per line. They are indented, so that none can be mistaken for a separate
      // message.
      this.#line(`${this.paint('red', 'error:')} ${message.replaceAll(/\n(?!  )/g, '\n  ')}`, true);
      if (hint !== null) this.#line(`  ${hint.replaceAll(/\n(?!  )/g, '\n  ')}`, true);
    }
    if (this.verbose && explanation.stack !== null) this.#line(this.paint('dim', explanation.stack), true);
  }

  /** Waits until everything that was written has been flushed. */
  async flush(): Promise<void> {
    const drained = (stream: OutputStream): Promise<void> =>
      new Promise((resolve) => {
        stream.write('', () => {
          resolve();
        });
      });
    await Promise.all([drained(this.#stdout), drained(this.#stderr)]);
  }

  #erase(): void {
    if (this.#drawn.length === 0) return;
    this.#say(`${this.#up()}\r\u001b[J`);
    this.#drawn = [];
  }

  /** Moves to the first of the drawn lines: in a terminal that became narrower, each takes as many rows as it now needs. */
  #up(): string {
    if (this.#drawn.length === 0) return '';
    const columns = Math.max(1, this.#stderr.columns ?? 80);
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return `\u001b[${String(rows)}A`;
  }

  #say(text: string): void {
    this.#stderr.write(text);
  }

  #forPerson(text: string): string {
    return this.mask(withPlace(text, this.#sandbox));
  }

  /** The text with known secrets masked. */
  mask(text: string): string {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '***');
    return shown;
  }
}

/** The reader has gone, as with `head`; later writes find the stream destroyed. */
function isClosed(error: Error & { code?: string }): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

/** A line that wraps would be two for the cursor: it is cut, without its colours. */
function fitted(line: string, width: number): string {
  return stringWidth(line) <= width ? line : shorten(line.replace(/\u001b\[[\d;]*m/g, ''), width);
}
