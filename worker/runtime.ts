import { format } from 'node:util';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Log } from '../activities/deps';
import { isFailureText } from '../workflows/details';

let installed = false;

/** The SDK's log lines go to our logger; it installs one per process. */
export function installRuntime(log: Log, metricsAddress: string | undefined): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      const write = level === 'ERROR' ? log.error : level === 'WARN' ? log.warn : log.debug;
      write(...logLine(message, meta));
    }),
    // Signals are handled by the command, which stops the worker in order.
    shutdownSignals: [],
    telemetryOptions: {
      // Its native part too; below warnings it logs every poll.
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metricsAddress === undefined
        ? {}
        : { metrics: { prometheus: { bindAddress: metricsAddress, countersTotalSuffix: true } } }),
    },
  });
}

/**
 * A log line of the SDK. That rows of a run went wrong is a result, not a fault of the program: it has no stack trace.
 */
export function logLine(
  message: string,
  meta: Record<string, unknown> = {},
): [message: string, fields: Record<string, unknown>] {
  // From the workflow's thread only the text of an error arrives, not its type.
  const text = (meta.error as { message?: unknown } | undefined)?.message;
  if (typeof text === 'string' && isFailureText(text)) {
    const { workflowId } = pickFields(meta);
    return [`Run ended: ${text}`, { from: 'temporal', workflowId }];
  }
  return [message, { from: 'temporal', ...pickFields(meta) }];
}

const SHOWN = ['error', 'workflowId', 'activityId', 'activityType', 'taskQueue', 'channel', 'attempt'];

function pickFields(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    SHOWN.flatMap((name) => (meta[name] === undefined ? [] : [[name, format('%s', meta[name])]])),
  );
}
