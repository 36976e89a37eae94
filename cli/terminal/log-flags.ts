import { Option, type Command } from 'commander';

export const LOG_FORMATS = ['text', 'json'] as const;
/** From the most to the least that is said. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How what is said on standard error looks, where a command was asked. */
export interface LogStyle {
  format: (typeof LOG_FORMATS)[number];
  /** The least that is said of the worker's own lines; of everything in `json`. */
  level: LogLevel;
}

export interface LogFlags {
  logFormat?: (typeof LOG_FORMATS)[number];
  logLevel?: LogLevel;
}

/** Flags of commands that have a worker in them. */
export function addLogFlags(command: Command): Command {
  return command
    .addOption(new Option('--log-format <format>', 'text, or JSON lines on standard error').choices([...LOG_FORMATS]))
    .addOption(
      new Option('--log-level <level>', 'minimum level to log (default: warn; info for json)').choices([
        ...LOG_LEVELS,
      ]),
    );
}

/** Null where neither is given: then the command decides what of its worker is said. */
export function logStyleOf({ logFormat, logLevel }: LogFlags): LogStyle | null {
  if (logFormat === undefined && logLevel === undefined) return null;
  const format = logFormat ?? 'text';
  return { format, level: logLevel ?? (format === 'json' ? 'info' : 'warn') };
}

export function isLogged(level: LogLevel, style: LogStyle): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(style.level);
}
