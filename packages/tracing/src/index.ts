export { recordAnswerWait } from './await-answer-span.ts';
export { openTracing, type Tracing } from './open-tracing.ts';
export { contextOfTraceparent, formatTraceparent, parseTraceparent } from './trace-context.ts';
export { SpanKind, SpanStatusCode, type Span, type Tracer } from '@opentelemetry/api';
