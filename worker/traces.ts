import { type WorkerOptions } from '@temporalio/worker';

/** The packages that send traces are not installed. */
export class TracesUnavailableError extends Error {
  override readonly name = 'TracesUnavailableError';
  readonly code = 'traces-unavailable';

  constructor(options: ErrorOptions) {
    super('the packages for traces are not installed (install with `npm ci`, without --omit=dev)', options);
  }
}

export interface Traces {
  /** Of every worker of the process. */
  plugins: NonNullable<WorkerOptions['plugins']>;
  /** Sends what is left. */
  stop: () => Promise<void>;
}

/**
 * OpenTelemetry spans of workflows and activities, sent by OTLP over HTTP according to the standard variables:
 * `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`. Their attributes are ids, never
 * values of rows.
 * @throws TracesUnavailableError
 */
export async function startTraces(version: string): Promise<Traces> {
  const { temporal, spans, resources, contexts, otlp } = await packages();
  const resource = new resources.Resource({
    'service.name': process.env.OTEL_SERVICE_NAME ?? 'reelay',
    'service.version': version,
  });
  const spanProcessor = new spans.BatchSpanProcessor(new otlp.OTLPTraceExporter());
  const provider = new spans.BasicTracerProvider({ resource, spanProcessors: [spanProcessor] });
  provider.register({ contextManager: new contexts.AsyncLocalStorageContextManager() });
  return {
    plugins: [new temporal.OpenTelemetryPlugin({ resource, spanProcessor })],
    stop: () => provider.shutdown(),
  };
}

async function packages() {
  try {
    const [temporal, spans, resources, contexts, otlp] = await Promise.all([
      import('@temporalio/interceptors-opentelemetry'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { temporal, spans, resources, contexts, otlp };
  } catch (error) {
    throw new TracesUnavailableError({ cause: error });
  }
}
