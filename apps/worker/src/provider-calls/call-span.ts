import type { AnswerUsage } from '@baton/protocol';
import type { BegunCall } from '@baton/store/shards';
import { contextOfTraceparent, SpanKind, SpanStatusCode, type Tracer } from '@baton/tracing';

/** Records a call to an LLM endpoint (OpenTelemetry's conventions for generative AI); `startTime` in milliseconds since 1970. */
export function recordCall(
  tracer: Tracer | undefined,
  call: BegunCall,
  startTime: number,
  end: { readonly usage?: AnswerUsage; readonly failure?: string },
): void {
  if (tracer === undefined || call.traceparent === '') return;
  const { usage, failure } = end;
  const span = tracer.startSpan(
    'chat',
    {
      kind: SpanKind.CLIENT,
      startTime,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.model': usage?.model,
        'gen_ai.usage.input_tokens': usage?.inputTokens,
        'gen_ai.usage.output_tokens': usage?.outputTokens,
        'baton.tenant': call.tenant,
        'baton.task.id': call.taskId,
        'baton.interaction.id': call.interactionId,
        'error.type': failure,
      },
    },
    contextOfTraceparent(call.traceparent),
  );
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
