import {
  contextOfTraceparent,
  formatTraceparent,
  recordAnswerWait,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@baton/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallTrace, WaitedAnswer } from '../../call/call-trace.ts';
import type { EventFacts } from '../../call/logged-events.ts';
import { traceparentOf } from './traceparent-of.ts';

/** With these a caller is refused that is not admitted, or called too often. */
const REFUSED_CALLER_STATUSES = new Set([401, 429]);

/** The span of one request, in the trace that its `traceparent` names or in a new one. */
export class RequestTrace implements CallTrace {
  /** Where what the request starts goes on, as W3C's `traceparent`; '' where the request is not sampled. */
  readonly traceparent: string;
  readonly traceId: string;
  private readonly tracer: Tracer;
  private readonly span: Span;

  constructor(tracer: Tracer, request: FastifyRequest, { elapsedTime }: FastifyReply) {
    const { method, routeOptions, id } = request;
    const { url: route = '' } = routeOptions;
    this.tracer = tracer;
    this.span = tracer.startSpan(
      `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: Date.now() - elapsedTime,
        attributes: { 'http.request.method': method, 'http.route': route, 'baton.request.id': id },
      },
      contextOfTraceparent(traceparentOf(request)),
    );
    const context = this.span.spanContext();
    this.traceparent = formatTraceparent(context);
    this.traceId = context.traceId;
  }

  setTool(name: string): void {
    this.span.updateName(`tools/call ${name}`).setAttribute('gen_ai.tool.name', name);
  }

  setTask(taskId: string): void {
    this.span.setAttribute('baton.task.id', taskId);
  }

  setFacts({ taskId, interactionId, status, code, replayed }: EventFacts): void {
    this.span.setAttributes({
      'baton.task.id': taskId,
      'baton.interaction.id': interactionId,
      'baton.task.status': status,
      'baton.replayed': replayed,
      'error.type': code,
    });
    if (code !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  recordWait(answer: WaitedAnswer): void {
    recordAnswerWait(this.tracer, answer, [{ context: this.span.spanContext() }]);
  }

  /** A span that does not end is not sent: anyone could fill the queue of spans with requests that are refused before their credential is checked. */
  end(status: number, credential: FastifyRequest['credential']): void {
    if (credential === null || REFUSED_CALLER_STATUSES.has(status)) return;
    this.span.setAttributes({
      'http.response.status_code': status,
      'baton.tenant': credential.kind === 'key' ? credential.key.tenant : undefined,
    });
    if (status >= 500) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

/**
 * A span for each request that may change something, however it ends; pages and streams that only read would fill traces with
 * their polls.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer | undefined): void {
  app.decorateRequest('trace', null);
  if (tracer === undefined) return;
  // The body may name the trace: only now there is one.
  app.addHook('preValidation', (request, reply, done) => {
    const { method, routeOptions } = request;
    const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (!isRead && routeOptions.config.isPublic !== true)
      request.trace = new RequestTrace(tracer, request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.trace?.end(reply.statusCode, request.credential);
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: RequestTrace | null;
  }
}
