import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { EventFacts, LogEvent, LoggedEvent } from '../call/logged-events.ts';
import { parseTraceparent } from '@baton/tracing';
import { traceparentOf } from './tracing/traceparent-of.ts';
import { TokenBuckets } from './limits/token-buckets.ts';

/** Lines of refusals a second, of one key, of the operator or of all callers without a credential, and of all; BURST_SECONDS of them at once. */
const REFUSALS_PER_SECOND = 5;
const ALL_REFUSALS_PER_SECOND = 50;
const BURST_SECONDS = 4;

/**
 * A line in the log for each park, answer, end and refusal. Refusals beyond a rate are counted in the next line of one; those for
 * want of Redis are left out, since its outage has a line of its own.
 */
export class EventLog {
  private readonly ofCaller = new TokenBuckets(REFUSALS_PER_SECOND, REFUSALS_PER_SECOND * BURST_SECONDS);
  private readonly all = new TokenBuckets(ALL_REFUSALS_PER_SECOND, ALL_REFUSALS_PER_SECOND * BURST_SECONDS);
  private readonly log: Logger;
  private readonly count: (event: LoggedEvent, facts: EventFacts) => void;
  private leftOut = 0;

  /** `count` is told of every event, refusals that are left out of the log included. */
  constructor(log: Logger, count: (event: LoggedEvent, facts: EventFacts) => void) {
    this.count = count;
    // A line has these facts alone: looking for more to redact would take as long as writing it.
    this.log = log.child({}, { redact: [] });
  }

  write(request: FastifyRequest, reply: FastifyReply, event: LoggedEvent, facts: EventFacts): void {
    this.count(event, facts);
    request.trace?.setFacts(facts);
    const { credential } = request;
    const key = credential?.kind === 'key' ? credential.key : undefined;
    const isRefusal = event === 'refused';
    if (isRefusal && facts.code === 'unavailable') return;
    if (
      isRefusal &&
      !this.mayLogRefusal(key === undefined ? (credential?.kind ?? 'none') : `${key.tenant} ${key.id}`)
    ) {
      this.leftOut++;
      return;
    }
    this.log.info(
      {
        event,
        requestId: request.id,
        trace: request.trace?.traceId ?? parseTraceparent(traceparentOf(request))?.traceId,
        tenant: key?.tenant,
        keyId: key?.id,
        ...facts,
        ms: Math.round(reply.elapsedTime),
        ...(isRefusal && this.leftOut > 0 && { leftOut: this.leftOut }),
      },
      event,
    );
    if (isRefusal) this.leftOut = 0;
  }

  private mayLogRefusal(caller: string): boolean {
    if (this.ofCaller.left(caller) < 1 || this.all.left('all') < 1) return false;
    this.ofCaller.take(caller, 1);
    this.all.take('all', 1);
    return true;
  }
}

/** What logs the events of a request. */
export function logEventsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  caller?: { readonly principal: string | undefined },
): LogEvent {
  return (event, facts) =>
    request.server.eventLog.write(request, reply, event, { principal: caller?.principal, ...facts });
}

/** A tool that has a route of its own; specialists share one, whose name is the caller's. */
const TOOL_ROUTE = /^\/v1\/(?:tenants\/:tenant\/)?tools\/(\w+)$/;

/** What a request over HTTP is for: a tool, or else its route; nothing where no route is. */
export function requestTarget({
  method,
  is404,
  routeOptions,
}: FastifyRequest): Pick<EventFacts, 'tool' | 'route'> {
  const { url } = routeOptions;
  if (is404 || url === undefined) return {};
  const [, tool] = TOOL_ROUTE.exec(url) ?? [];
  return tool === undefined ? { route: `${method} ${url}` } : { tool };
}

export const REQUEST_ID_HEADER = 'x-request-id';

/** The id of a request: its caller's, if that is short and plain, or a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : randomUUID();
}

declare module 'fastify' {
  interface FastifyInstance {
    eventLog: EventLog;
  }
  interface FastifyRequest {
    /** Whoever calls over REST, with the principal once it is known. */
    restCaller: { readonly principal: string | undefined } | null;
  }
}
