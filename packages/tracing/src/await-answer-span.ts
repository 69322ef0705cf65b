import { type Link, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { contextOfTraceparent } from './trace-context.ts';

/** A request to an LLM or a person that is over now. */
export interface AnswerWait {
  /** The `traceparent` of the call that started its task (W3C Trace Context). */
  readonly traceparent: string;
  readonly tenant?: string | undefined;
  readonly taskId: string;
  readonly interactionId: string;
  readonly waitedMs: number;
  /** Why it has ended without an answer. */
  readonly code?: string;
}

/** Records how long a task waited for an answer, in the task's trace: as an error where none came. */
export function recordAnswerWait(tracer: Tracer, wait: AnswerWait, links: Link[] = []): void {
  const now = Date.now();
  const span = tracer.startSpan(
    'await answer',
    {
      startTime: now - wait.waitedMs,
      attributes: {
        'baton.tenant': wait.tenant,
        'baton.task.id': wait.taskId,
        'baton.interaction.id': wait.interactionId,
        'error.type': wait.code,
      },
      links,
    },
    contextOfTraceparent(wait.traceparent),
  );
  if (wait.code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(now);
}
