import { Option, type Command } from 'commander';

export const LOG_FORMATS = ['text', 'json'] as const;
/** From the most to the least verbose. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The format of standard error, if the log flags set it. */
export interface LogStyle {
  format: (typeof LOG_FORMATS)[number];
  /** The minimum level of the worker's own lines; of all lines in `json`. */
  level: LogLevel;
}

export interface LogFlags {
  logFormat?: (typeof LOG_FORMATS)[number];
  logLevel?: LogLevel;
}

/** Flags of commands that run a worker. */
export function addLogFlags(command: Command): Command {
  return command
    .addOption(new Option('--log-format <format>', 'text, or JSON lines on standard error').choices([...LOG_FORMATS]))
    .addOption(
      new Option('--log-level <level>', 'minimum level to log (default: warn; info for json)').choices([...LOG_LEVELS]),
    );
}

/** Null if neither is given: then the command decides what its worker prints. */
export function logStyleOf({ logFormat, logLevel }: LogFlags): LogStyle | null {
  if (logFormat === undefined && logLevel === undefined) return null;
  const format = logFormat ?? 'text';
  return { format, level: logLevel ?? (format === 'json' ? 'info' : 'warn') };
}

export function isLogged(level: LogLevel, style: LogStyle): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(style.level);
}
