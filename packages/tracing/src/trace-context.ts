import { ROOT_CONTEXT, type Context, type SpanContext, trace } from '@opentelemetry/api';

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Parses a `traceparent` (W3C Trace Context, section 3.2); undefined for what is none. */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** A span's context as a `traceparent`; '' of one that is not recorded. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return (traceFlags & 1) === 1 ? `00-${traceId}-${spanId}-01` : '';
}

/** The context in which a span is a child of the one that a `traceparent` names; the root's for what is none. */
export function contextOfTraceparent(text: unknown): Context {
  const parent = parseTraceparent(text);
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}
