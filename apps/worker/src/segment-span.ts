import { contextOfTraceparent, SpanKind, SpanStatusCode, type Tracer } from '@baton/tracing';
import type { SegmentEnd } from '@baton/runner';
import type { FencedSegment } from '@baton/store/shards';

/** Records a segment that a job ran, in the trace of the call that started its task; `startTime` in milliseconds since 1970. */
export function recordSegment(
  tracer: Tracer | undefined,
  { task, tenant, taskId, job }: FencedSegment,
  startTime: number,
  end: SegmentEnd,
): void {
  if (tracer === undefined || task.traceparent === '') return;
  const { operation, tries, traceparent } = task;
  const code = endCode(end);
  const span = tracer.startSpan(
    `resume ${operation}`,
    {
      kind: SpanKind.CONSUMER,
      startTime,
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.operation.type': 'process',
        'messaging.message.id': String(job),
        'baton.tenant': tenant,
        'baton.task.id': taskId,
        'baton.segment.end': end.kind,
        'baton.segment.tries': tries,
        'error.type': code,
      },
    },
    contextOfTraceparent(traceparent),
  );
  if (code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function endCode(end: SegmentEnd): string | undefined {
  if ('error' in end) return end.error.code;
  return 'code' in end ? end.code : undefined;
}
