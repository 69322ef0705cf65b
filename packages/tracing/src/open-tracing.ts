import { diag, DiagLogLevel, type Tracer } from '@opentelemetry/api';
import type { Logger } from 'pino';

/** What records spans, and sends them. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left, for at most `EXPORT_TIMEOUT_MS`, and ends. Never throws. */
  close(): Promise<void>;
}

/** One line a minute, at most, for what goes wrong with sending. */
const WARNING_INTERVAL_MS = 60_000;
const EXPORT_TIMEOUT_MS = 5_000;

/**
 * Opens OpenTelemetry's SDK, which sends spans as OTLP over HTTP, in JSON, in batches. It reads its own settings: `OTEL_EXPORTER_OTLP_*`,
 * `OTEL_TRACES_SAMPLER`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_BSP_*`. Its packages are loaded here and not before. What cannot be sent is dropped: at
 * most 2,048 spans wait (`OTEL_BSP_MAX_QUEUE_SIZE`), and no call waits for one.
 */
export async function openTracing(
  role: string,
  replica: string,
  version: string,
  log: Logger,
): Promise<Tracing> {
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  logProblems(log);
  const own = resources.resourceFromAttributes({
    'service.name': `baton-${role}`,
    'service.instance.id': replica,
    'service.version': version,
  });
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new BasicTracerProvider({
    resource: resources.defaultResource().merge(own).merge(given),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter(), { exportTimeoutMillis: EXPORT_TIMEOUT_MS }),
    ],
  });
  return {
    tracer: provider.getTracer('baton', version),
    async close() {
      const limit = new Promise((resolve) => setTimeout(resolve, EXPORT_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), limit]);
    },
  };
}

/** The SDK tells of a failed export here, and goes on. It has one such place in a process: of several roles the last one's log is told. */
function logProblems(log: Logger): void {
  let nextAt = 0;
  const warn = (message: string, ...args: unknown[]) => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + WARNING_INTERVAL_MS;
    const reason = [message, ...args].map(String).join(' ').slice(0, 500);
    log.warn({ reason }, 'tracing warns; spans that could not be sent are dropped');
  };
  const ignore = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
