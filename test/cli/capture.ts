import { Output, type Format, type OutputStream } from '../../cli/terminal/output';

/** A stream that keeps what is written; a terminal when it has columns. */
export class CapturedStream implements OutputStream {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  write(text: string, done?: (error?: Error | null) => void): boolean {
    this.text += text;
    done?.(null);
    return true;
  }

  on(): this {
    return this;
  }
}

export interface Captured {
  output: Output;
  stdout: CapturedStream;
  stderr: CapturedStream;
}

export function capture(
  options: { format?: Format; columns?: number; noColor?: boolean; dumb?: boolean; verbose?: boolean } = {},
): Captured {
  const stdout = new CapturedStream(options.columns);
  const stderr = new CapturedStream(options.columns);
  const output = new Output({
    stdout,
    stderr,
    format: options.format ?? 'text',
    environment: { noColor: options.noColor ?? false, dumb: options.dumb ?? false },
    verbose: options.verbose ?? false,
  });
  return { output, stdout, stderr };
}
