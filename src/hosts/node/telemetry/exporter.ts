/** Exports spans with the SDK of OpenTelemetry, as OTLP over HTTP. The module is loaded with the first trace. */
import { ROOT_CONTEXT, type Span as SdkSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Span } from '../../../core/insights/spans.ts';

/** Sends a span and all of its descendants. @throws Error with the reason if the collector did not accept them */
export type Exporter = (span: Span) => Promise<void>;

/** How long a collector may take to respond, in milliseconds. The terminal program waits for it before it exits. */
const TIMEOUT_MS = 3_000;
const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Stores the reason why the last spans were not sent, which the SDK's processor does not report. */
class ObservedExporter extends OTLPExporterBase<ReadableSpan[]> {
  failure: Error | undefined;

  override export(...[spans, done]: Parameters<OTLPExporterBase<ReadableSpan[]>['export']>): void {
    super.export(spans, (result) => {
      this.failure = result.error;
      done(result);
    });
  }
}

export function createExporter(url: string): Exporter {
  const exporter = new ObservedExporter(delegateTo(url));
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 100_000 });
  const resource = resourceFromAttributes({ 'service.name': 'kedge' });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer('kedge');
  const record = ({ name, kind, start, end, attributes, error, children }: Span, parent?: SdkSpan): void => {
    const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    // The SDK would interpret a small number as the time since the start of the program.
    const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: new Date(start), attributes: { ...attributes } }, context);
    for (const child of children) record(child, span);
    if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    span.end(new Date(end));
  };
  return async (span) => {
    record(span);
    // The promise rejects with a list of errors.
    await provider.forceFlush().catch((errors: unknown) => {
      throw exporter.failure ?? new Error(String(errors));
    });
    if (exporter.failure) throw exporter.failure;
  };
}

/**
 * The `OTLPTraceExporter` of the SDK adds headers and client certificates from the variables `OTEL_EXPORTER_OTLP_*`. They may contain keys
 * for another collector, so nothing is read from the environment here.
 */
function delegateTo(url: string) {
  return createOtlpHttpExportDelegate(
    {
      url,
      headers: async () => ({ 'Content-Type': 'application/json' }),
      timeoutMillis: TIMEOUT_MS,
      concurrencyLimit: 30,
      compression: 'none',
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true }),
    },
    JsonTraceSerializer,
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  );
}
